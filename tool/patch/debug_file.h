/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_file.h - the separate file that has a stripped program's symbols
 *
 * By build-id below /usr/lib/debug, or beside the program by the name in its
 * .gnu_debuglink. Only a file with the same build-id is taken.
 */
#pragma once

#include <libelf.h>

/* Open the debug file of a program, or return NULL. The caller ends the Elf and
   closes `*fd`. */
Elf *debug_file_open(int program_fd, Elf *program, int *fd);
