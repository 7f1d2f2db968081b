/* SPDX-License-Identifier: Apache-2.0 */
/* malloc_arguments.h - part of tally/malloc.h: which argument brings the tag */
#ifndef TALLY_PRIVATE_MALLOC_ARGUMENTS_H
#define TALLY_PRIVATE_MALLOC_ARGUMENTS_H

#pragma GCC system_header

#define TALLY_HERE_1(a, ...) TALLY_HERE(a) __VA_OPT__(, __VA_ARGS__)
#define TALLY_HERE_2(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_HERE_1(__VA_ARGS__))
#define TALLY_MOVE_1(a, ...) TALLY_HERE_TO_MOVE(a) __VA_OPT__(, __VA_ARGS__)
#define TALLY_MOVE_2(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_MOVE_1(__VA_ARGS__))
#define TALLY_HERE_3(a, ...) \
    TALLY_BESIDE(a) __VA_OPT__(, TALLY_HERE_2(__VA_ARGS__))

#define TALLY_IF_COUNT(count, name, ...)                                  \
    TALLY_IF_COUNT_(count, TALLY_COUNT(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0)) \
    (name, __VA_ARGS__)

#define TALLY_IF_COUNT_(wanted, count) TALLY_IF_COUNT_PASTE(wanted, count)

#define TALLY_IF_COUNT_PASTE(wanted, count)       TALLY_COUNT_##wanted##_##count
#define TALLY_COUNT(a, b, c, d, e, f, count, ...) count
#define TALLY_COUNT_PLAIN(name, ...)              name(__VA_ARGS__)

#define TALLY_COUNT_HOOK(name, ...) alloc_hooks(name##_noprof(__VA_ARGS__))

#define TALLY_COUNT_3_1 TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_2 TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_3 TALLY_COUNT_HOOK
#define TALLY_COUNT_3_4 TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_5 TALLY_COUNT_PLAIN
#define TALLY_COUNT_3_6 TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_1 TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_2 TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_3 TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_4 TALLY_COUNT_HOOK
#define TALLY_COUNT_4_5 TALLY_COUNT_PLAIN
#define TALLY_COUNT_4_6 TALLY_COUNT_PLAIN

#endif /* TALLY_PRIVATE_MALLOC_ARGUMENTS_H */
