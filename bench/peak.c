/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak.c - run a program and write its peak RSS in KiB
 *
 * A process inherits the peak of its parent, so the starter must be smaller
 * than any program it measures: hence not Python. For `tally record`, the peak
 * is that of the largest process among it and the processes it waited for.
 *
 * usage: peak FILE PROGRAM ARGUMENT...
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int write_peak(const char *path, long kib)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return -1;
    fprintf(file, "%ld\n", kib);
    return fclose(file);
}

int main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t child;

    if (argc < 3) {
        fprintf(stderr, "usage: peak FILE PROGRAM ARGUMENT...\n");
        return 2;
    }
    child = fork();
    if (child == 0) {
        execvp(argv[2], &argv[2]);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child) {
        perror("peak");
        return 1;
    }
    if (write_peak(argv[1], usage.ru_maxrss) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
