/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_load.h - one aligned word that another thread may be writing
 *
 * An acquire load. Where the machine orders loads by itself it is written as a
 * plain one, which the compiler may fold into the instruction that uses it; an
 * atomic one it never folds. Only for a load whose value, were it read again,
 * could not do harm.
 */
#ifndef TALLY_CORE_PLAIN_LOAD_H
#define TALLY_CORE_PLAIN_LOAD_H

#if defined __x86_64__ && !defined __SANITIZE_THREAD__
#define PLAIN_LOAD(pointer) (*(pointer))
#else
#define PLAIN_LOAD(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#endif

#endif /* TALLY_CORE_PLAIN_LOAD_H */
