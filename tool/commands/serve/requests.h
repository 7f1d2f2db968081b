/* SPDX-License-Identifier: Apache-2.0 */
/* requests.h - answers of tally serve: see serve.help */
#pragma once

#include <stddef.h>

struct web_request;

/* Answer a request, for struct web_service. `top` is a size_t: sites of each
   program in /metrics. */
int serve_answer(void *top, const struct web_request *request);
