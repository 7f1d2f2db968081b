/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debian_package.h - the package that has a file's debug symbols
 */
#pragma once

#include <stdbool.h>

enum { DEBIAN_PACKAGE_SIZE = 128 };

/*
 * Its likely name, such as "libc6-dbg" or "perl-base-dbgsym", by what dpkg says
 * of the file. False on other systems, and for a file of no package.
 */
bool debian_package_find(const char *path, char name[DEBIAN_PACKAGE_SIZE]);
