/* SPDX-License-Identifier: Apache-2.0 */
/* countdown_words.h - whether a process counts, and what; see countdown.h */
#ifndef TALLY_CORE_COUNTDOWN_WORDS_H
#define TALLY_CORE_COUNTDOWN_WORDS_H

#include <stdint.h>

/* What is counted, as generations tell. */
enum countdown_unit {
    COUNTDOWN_BYTES = 0,
    COUNTDOWN_WORDS = 1, /* words */
    COUNTDOWN_BOTH = 3,  /* and bytes besides */
    COUNTDOWN_UNITS = 3,
};

/* Zeros in each new process, and in the child of a fork. */
struct countdown_words {
    uint32_t generation; /* 0: off; low bits: enum countdown_unit */

    uint32_t is_open;
    uint32_t clients; /* a bit for each that is asked */
    uint32_t lock;
};

#endif /* TALLY_CORE_COUNTDOWN_WORDS_H */
