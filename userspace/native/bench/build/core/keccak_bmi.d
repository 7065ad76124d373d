/work/main/userspace/native/bench/build/core/keccak_bmi.o: \
 /work/main/driver/core/keccak_bmi.c \
 /work/main/driver/core/keccak_scalar.h /work/main/driver/core/keccak.h \
 /work/main/driver/core/portable.h /work/main/driver/core/keccak_round.h
