/work/main/userspace/native/bench/build/core/keccak.o: \
 /work/main/driver/core/keccak.c /work/main/driver/core/keccak_scalar.h \
 /work/main/driver/core/keccak.h /work/main/driver/core/portable.h \
 /work/main/driver/core/keccak_round.h
