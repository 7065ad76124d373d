/work/main/userspace/native/bench/build/bench.o: \
 /work/main/userspace/native/bench/bench.c \
 /work/main/userspace/native/bench/bench.h \
 /work/main/userspace/native/bench/../../../driver/core/format.h \
 /work/main/userspace/native/bench/../../../driver/core/backend.h \
 /work/main/userspace/native/bench/../../../driver/core/aes.h \
 /work/main/userspace/native/bench/../../../driver/core/portable.h \
 /work/main/userspace/native/bench/../../../driver/core/chacha.h \
 /work/main/userspace/native/bench/../../../driver/core/keccak.h
