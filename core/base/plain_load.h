/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_load.h - one aligned word that another thread may be writing
 *
 * An acquire load. Where the machine orders loads by itself, which the build
 * says with TALLY_ORDERED_LOADS, it is written as a plain one: the compiler may
 * fold that into the instruction that uses it, and never does so with an atomic
 * one. Only for a load whose value, were it read again, could not do harm.
 */
#ifndef TALLY_CORE_PLAIN_LOAD_H
#define TALLY_CORE_PLAIN_LOAD_H

#ifdef TALLY_ORDERED_LOADS
#define PLAIN_LOAD(pointer) (*(pointer))
#else
#define PLAIN_LOAD(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#endif

#endif /* TALLY_CORE_PLAIN_LOAD_H */
