/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - the version of Zephyr that the test builds for */
#pragma once

#ifndef KERNEL_VERSION_NUMBER
#define KERNEL_VERSION_NUMBER 0x30400
#endif
