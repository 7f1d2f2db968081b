/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_list.h - lists of objects that macros define across a program
 *
 *     TALLY_OBJECT_LIST(tally_slabs, struct tally_slab_item);
 *
 * Items lie side by side in the section `list`. list_enter() receives their
 * bounds when the program or shared object is loaded; list_leave() when it is
 * unloaded or the program ends. Every source contains this code; the linker
 * keeps one copy per object. Firmware does not call it: the linker script
 * defines the bounds.
 */
#ifndef TALLY_PRIVATE_OBJECT_LIST_H
#define TALLY_PRIVATE_OBJECT_LIST_H

#include "tally/config.h"

#ifndef __aligned
#define __aligned(x) __attribute__((__aligned__(x)))
#endif

/* Private: entry of a slab or heap in the list of all. */
struct tally_listed {
    void *object; /* address of the slab or heap; NULL: it has none */
    struct tally_listed *next, **link;
    struct tally_listed *other; /* next of the same hash */
};

#if TALLY_HAS(OS)
#define TALLY_ONE_IN_OBJECT __attribute__((weak, visibility("hidden")))

#define TALLY_OBJECT_LIST(list, item)                                   \
    extern item __start_##list[] TALLY_ONE_IN_OBJECT;                   \
    extern item __stop_##list[] TALLY_ONE_IN_OBJECT;                    \
    void list##_of_object_enter(void) TALLY_ONE_IN_OBJECT;              \
    void list##_of_object_leave(void) TALLY_ONE_IN_OBJECT;              \
    __attribute__((constructor(101))) void list##_of_object_enter(void) \
    {                                                                   \
        list##_enter(__start_##list, __stop_##list);                    \
    }                                                                   \
    __attribute__((destructor(101))) void list##_of_object_leave(void)  \
    {                                                                   \
        list##_leave(__start_##list, __stop_##list);                    \
    }                                                                   \
    extern item __start_##list[]
#else
#define TALLY_OBJECT_LIST(list, item) extern item __start_##list[]
#endif

#endif /* TALLY_PRIVATE_OBJECT_LIST_H */
