/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - symbols private to a library, used without an indirection */
#pragma once

#define HIDDEN __attribute__((visibility("hidden")))
