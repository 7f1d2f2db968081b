/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_files.h - which files a process has loaded
 */
#pragma once

#include <sys/types.h>

/*
 * As /proc/PID/maps has them, with paths as they are found from here. A file
 * that the program only reads by mmap() is left out. The caller frees the text.
 */
char *place_files_list(pid_t pid);
