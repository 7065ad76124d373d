/work/main/userspace/native/bench/build/core/chacha_avx2.o: \
 /work/main/driver/core/chacha_avx2.S /work/main/driver/core/chacha_x86.h \
 /work/main/driver/core/assembly.h
