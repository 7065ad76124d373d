/work/main/userspace/native/bench/build/core/backend.o: \
 /work/main/driver/core/backend.c /work/main/driver/core/backend.h \
 /work/main/driver/core/aes.h /work/main/driver/core/portable.h \
 /work/main/driver/core/chacha.h /work/main/driver/core/keccak.h
