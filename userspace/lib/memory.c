/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sys/mman.h>

#include "internal.h"

void *srnd_map(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	if (madvise(p, len, MADV_DONTDUMP)) {
		munmap(p, len);
		return NULL;
	}
	return p;
}

void srnd_unmap(void *p, size_t len)
{
	srnd_wipe(p, len);
	munmap(p, len);
}

void srnd_wipe(void *p, size_t len)
{
	explicit_bzero(p, len);
}

int srnd_cancel_disable(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

void srnd_cancel_restore(int state)
{
	pthread_setcancelstate(state, NULL);
}
