/* SPDX-License-Identifier: Apache-2.0 */
/* linkage.h - part of each public header: C linkage in C++ */
#ifndef TALLY_PRIVATE_LINKAGE_H
#define TALLY_PRIVATE_LINKAGE_H

#ifdef __cplusplus
#define TALLY_BEGIN_DECLS extern "C" {
#define TALLY_END_DECLS   }
#else
#define TALLY_BEGIN_DECLS
#define TALLY_END_DECLS
#endif

#endif /* TALLY_PRIVATE_LINKAGE_H */
