/work/main/userspace/native/bench/build/core/chacha.o: \
 /work/main/driver/core/chacha.c /work/main/driver/core/chacha.h \
 /work/main/driver/core/portable.h
