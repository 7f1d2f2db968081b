/* SPDX-License-Identifier: Apache-2.0 */
/*
 * newcomers.h - connections that have not yet asked for anything with a right
 *
 * A whole head of a request has 5 to 10 seconds, however often a byte comes.
 * There are at most so many newcomers: for one more the oldest of the peer that
 * has most is ended, so that a peer with one connection always gets in. A peer
 * is a user; all users that the kernel does not tell count as one.
 */
#pragma once

/* Note a connection. Its descriptor stays open until newcomers_end(). */
void newcomers_begin(int fd);

/* Forget one that has shown its right, or is about to be closed. */
void newcomers_end(int fd);

/* End those who had their time. Call this at each SIGALRM, for which
   newcomers_begin() asks. */
void newcomers_sweep(void);
