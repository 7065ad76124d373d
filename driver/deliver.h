/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moving output to its reader, and comparing what a writer brings with it, a
 * bounded piece at a time: what was moved counts, whatever goes wrong later.
 */
#ifndef SRND_DELIVER_H
#define SRND_DELIVER_H

#include <linux/fs.h>
#include <linux/uio.h>

/* .read_iter */
ssize_t srnd_deliver(struct kiocb *iocb, struct iov_iter *to);

/*
 * .write_iter: in secure mode mixes the bytes into later reseeds; on a seeded
 * file compares them with the stream and returns how many match (-EILSEQ if
 * the first does not); while absorbing, appends to the message.
 */
ssize_t srnd_accept(struct kiocb *iocb, struct iov_iter *from);

#endif
