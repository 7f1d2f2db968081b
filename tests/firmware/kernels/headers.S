/* SPDX-License-Identifier: Apache-2.0 */
/* headers.S - headers of the page that ports of kernels also include here */
#include "FreeRTOSConfig.h"
#include "tx_user.h"
