/* SPDX-License-Identifier: Apache-2.0 */
/* counted_due.h - blocks that somebody looks at, as they come and go */
#ifndef TALLY_RECORDER_COUNTED_DUE_H
#define TALLY_RECORDER_COUNTED_DUE_H

#include "recorder/counted.h"

/* A block is given back, which somebody may have in mind. Keeps errno. */
void counted_release(void *block);

#endif /* TALLY_RECORDER_COUNTED_DUE_H */
