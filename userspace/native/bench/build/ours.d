/work/main/userspace/native/bench/build/ours.o: \
 /work/main/userspace/native/bench/ours.c \
 /work/main/userspace/native/bench/../host.h \
 /work/main/userspace/native/bench/../../../driver/core/backend.h \
 /work/main/userspace/native/bench/../../../driver/core/aes.h \
 /work/main/userspace/native/bench/../../../driver/core/portable.h \
 /work/main/userspace/native/bench/../../../driver/core/chacha.h \
 /work/main/userspace/native/bench/../../../driver/core/keccak.h \
 /work/main/userspace/native/bench/bench.h \
 /work/main/userspace/native/bench/../../../driver/core/format.h \
 /work/main/userspace/native/bench/../../../driver/core/backend.h
