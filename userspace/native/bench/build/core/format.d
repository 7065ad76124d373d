/work/main/userspace/native/bench/build/core/format.o: \
 /work/main/driver/core/format.c \
 /work/main/driver/core/../../uapi/shakerandom.h \
 /work/main/driver/core/format.h /work/main/driver/core/backend.h \
 /work/main/driver/core/aes.h /work/main/driver/core/portable.h \
 /work/main/driver/core/chacha.h /work/main/driver/core/keccak.h
