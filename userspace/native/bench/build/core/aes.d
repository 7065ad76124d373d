/work/main/userspace/native/bench/build/core/aes.o: \
 /work/main/driver/core/aes.c /work/main/driver/core/aes.h \
 /work/main/driver/core/portable.h
