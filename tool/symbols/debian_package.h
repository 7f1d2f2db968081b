/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debian_package.h - the package that has a file's debug symbols
 */
#pragma once

#include <stdbool.h>

enum { DEBIAN_PACKAGE_SIZE = 128 };

/*
 * Find the likely name of the package, such as "libc6-dbg" or
 * "perl-base-dbgsym", in dpkg's lists. Return false on other systems and for a
 * file of no package.
 */
bool debian_package_find(const char *path, char name[DEBIAN_PACKAGE_SIZE]);
