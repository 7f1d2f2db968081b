/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - the sentences of error.h */
#include "tally/error.h"

struct sentence {
    int error;
    const char *text;
};

static const struct sentence sentences[] = {
#define ERROR_ROW(name, value, text) { value, text },
    TALLY_ERROR_LIST(ERROR_ROW)
#undef ERROR_ROW
};

const char *tally_error_sentence(int error)
{
    for (unsigned i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if (sentences[i].error == error)
            return sentences[i].text;
    }
    return "unknown error";
}
