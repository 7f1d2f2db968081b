/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_tags.h - the tags of shared objects that were unloaded
 *
 * alloc_tag.h says when; all under the port's lock.
 */
#ifndef TALLY_CORE_KEPT_TAGS_H
#define TALLY_CORE_KEPT_TAGS_H

#include "tally/alloc_tag.h"

/* The object is going: keep what its tags say, if it says anything. */
void kept_tags_sleep(struct tally_tag_object *object);

/* The object has come: if it was here before, let its tags go on. */
void kept_tags_wake(struct tally_tag_object *object);

/* The same for a tag that enters its object's list later. */
void kept_tags_wake_one(const struct tally_tag_object *object,
                        struct alloc_tag *tag);

/* The next kept tag of an unloaded object, or NULL. Both numbers are 0 at
   first. */
struct alloc_tag *kept_tags_next(uint32_t *sequence, uint32_t *index);

#endif /* TALLY_CORE_KEPT_TAGS_H */
