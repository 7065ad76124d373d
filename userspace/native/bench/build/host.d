/work/main/userspace/native/bench/build/host.o: \
 /work/main/userspace/native/bench/../host.c \
 /work/main/userspace/native/bench/../host.h \
 /work/main/userspace/native/bench/../../../driver/core/backend.h \
 /work/main/userspace/native/bench/../../../driver/core/aes.h \
 /work/main/userspace/native/bench/../../../driver/core/portable.h \
 /work/main/userspace/native/bench/../../../driver/core/chacha.h \
 /work/main/userspace/native/bench/../../../driver/core/keccak.h
