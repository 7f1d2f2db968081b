/* SPDX-License-Identifier: Apache-2.0 */
/* requests.h - what tally serve answers: see serve.help */
#pragma once

#include <stddef.h>

struct web_request;

/* For struct web_service; `top` has a size_t, how many sites of each program
   are in /metrics. */
int serve_answer(void *top, const struct web_request *request);
