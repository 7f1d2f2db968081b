/* SPDX-License-Identifier: Apache-2.0 */
/* advice.h - what to do about a right that is missing */
#pragma once

/* Return `advice`, such as "use sudo", or what may help where this is root
   already. */
const char *advice_as_root(const char *advice);
