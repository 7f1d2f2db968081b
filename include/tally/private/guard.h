/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - sections of C++ that end with their block, also on exceptions */
#ifndef TALLY_PRIVATE_GUARD_H
#define TALLY_PRIVATE_GUARD_H

#ifdef __cplusplus
/* Define a class tally::NAME that calls `begin` and `end`. */
#define TALLY_GUARD(name, begin, end)  \
    namespace tally                    \
    {                                  \
    class name                         \
    {                                  \
      public:                          \
        name()                         \
        {                              \
            begin();                   \
        }                              \
        ~name()                        \
        {                              \
            end();                     \
        }                              \
                                       \
      private:                         \
        name(const name &);            \
        name &operator=(const name &); \
    };                                 \
    }
#else
#define TALLY_GUARD(name, begin, end)
#endif

#endif /* TALLY_PRIVATE_GUARD_H */
