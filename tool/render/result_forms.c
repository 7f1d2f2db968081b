/* SPDX-License-Identifier: Apache-2.0 */
/* result_forms.c - see result.h */
#include "tool/render/result.h"

const struct result_form result_forms[] = {
    { "text", result_write_text },         { "json", result_write_json },
    { "markdown", result_write_markdown }, { "github", result_write_github },
    { "junit", result_write_junit },
};

const struct word_list result_form_words = WORDS(result_forms);
