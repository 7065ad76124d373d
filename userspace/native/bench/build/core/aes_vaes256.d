/work/main/userspace/native/bench/build/core/aes_vaes256.o: \
 /work/main/driver/core/aes_vaes256.c /work/main/driver/core/aes_x86.h \
 /work/main/driver/core/aes.h /work/main/driver/core/portable.h \
 /work/main/driver/core/intrinsics_x86.h
