/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unwind_tail.h - the outer frames of a stack, as the walk before found them
 *
 * Stacks that are followed one after another differ in their inner frames most of
 * the time. What a walk does from a frame on depends on that frame's state and on
 * the words that it reads from there on, and on nothing else (unwind.h U1). So
 *
 *   T1  a walk that comes to a frame in a state in which the walk before was ends
 *       as that did, if all words that it read from there on are as they were
 *       (checked: is_as_then, count_same)
 *   T2  those words are read only where they lie in the thread's own stack now,
 *       whichever thread used the unwinder then (checked: count_same)
 *   T3  the walk before was repeatable, and did not end for want of room
 *       (checked: set_aside)
 *   T4  its frames are the same frames only as long as the same files are loaded:
 *       forgetting rules forgets this, too (checked: unwind_tail_forget)
 *
 * States are marked at some frames, evenly, however deep the stack is.
 */
#ifndef TALLY_UNWIND_UNWIND_TAIL_H
#define TALLY_UNWIND_UNWIND_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/unwind_rule.h"

struct unwinder;

enum { UNWIND_MARKS = 64 };

/* A frame that was come to. While walking, both numbers are of what was before. */
struct unwind_mark {
    uintptr_t sp, address;
    uint32_t frames;  /* that one and those farther out */
    uint32_t inputs;  /* read from there on, ... */
    uintptr_t lowest; /* ... at no lower address than this */
    uint32_t in_memory, is_known;
    uintptr_t places[UNWIND_SAVED];
    uint64_t values[UNWIND_SAVED];
};

struct unwind_marks {
    uint32_t count;
    uint32_t next;   /* the frame to be marked next, counted from 0 */
    uint32_t stride; /* from one such frame to the next */
    struct unwind_mark marks[UNWIND_MARKS];
};

/*
 * What is kept from one walk to the next. Its frames and inputs lie at the ends of
 * the unwinder's arrays while the next walk fills them from the beginning.
 */
struct unwind_tail {
    struct unwind_marks marks[2];
    uint32_t now;    /* which of both the walk fills */
    uint32_t at;     /* the first of the others that it has not passed */
    uint32_t frames; /* set aside; 0: nothing is */
    uint32_t inputs;
    uint32_t same_inputs; /* so many of the outermost are as they were */
    bool is_counted;      /* same_inputs is known */
    bool is_cut;
    uintptr_t origin;
};

/* Before a walk begins: what the one before found is set aside. */
void unwind_tail_begin(struct unwinder *unwinder);

/*
 * The walk has come to a frame, which is not yet among its frames. True: all that
 * there is from there on was found, and the walk is done.
 */
bool unwind_tail_take(struct unwinder *unwinder);

/* A walk is done. */
void unwind_tail_end(struct unwinder *unwinder);

/* Files were unloaded. */
static inline void unwind_tail_forget(struct unwind_tail *tail)
{
    tail->marks[tail->now].count = 0;
}

#endif /* TALLY_UNWIND_UNWIND_TAIL_H */
