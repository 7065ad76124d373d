/work/main/userspace/native/bench/build/core/keccak_avx512.o: \
 /work/main/driver/core/keccak_avx512.c \
 /work/main/driver/core/intrinsics_x86.h /work/main/driver/core/keccak.h \
 /work/main/driver/core/portable.h \
 /work/main/driver/core/keccak_sectors.h \
 /work/main/driver/core/keccak_round.h
