/* SPDX-License-Identifier: Apache-2.0 */
/* malloc_arguments.h - part of tally/malloc.h: the argument that carries the
   tag */
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

/* Expand to a hook for this number of arguments, else to the plain function. */
#define TALLY_SEVENTH(a, b, c, d, e, f, it, ...) it
#define TALLY_PLAIN(name, ...)                   name(__VA_ARGS__)

#define TALLY_HOOK(name, ...) alloc_hooks(name##_noprof(__VA_ARGS__))

#define TALLY_IF_3(name, ...)                                         \
    TALLY_SEVENTH(__VA_ARGS__, TALLY_PLAIN, TALLY_PLAIN, TALLY_PLAIN, \
                  TALLY_HOOK, TALLY_PLAIN, TALLY_PLAIN, )             \
    (name, __VA_ARGS__)
#define TALLY_IF_4(name, ...)                                        \
    TALLY_SEVENTH(__VA_ARGS__, TALLY_PLAIN, TALLY_PLAIN, TALLY_HOOK, \
                  TALLY_PLAIN, TALLY_PLAIN, TALLY_PLAIN, )           \
    (name, __VA_ARGS__)

#endif /* TALLY_PRIVATE_MALLOC_ARGUMENTS_H */
