/* SPDX-License-Identifier: Apache-2.0 */
/* page_subject.c - see page_subject.h */
#include "tool/web/page_subject.h"

struct page_subject page_subject_of(const char *title,
                                    const struct profile *profile,
                                    const struct site_names *names,
                                    struct frame_names *frames)
{
    struct page_subject subject = {
        .title = title, .profile = profile, .names = names, .frames = frames
    };

    subject.finding_count = findings_find(profile, subject.findings);
    return subject;
}
