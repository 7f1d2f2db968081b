/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - feed the files of a corpus to a fuzz target, without a fuzzer
 *
 * Each file is replayed whole, cut at every length up to 2,000 bytes, and with
 * each of its first 2,000 bytes inverted. The test is that nothing crashes; an
 * empty corpus fails.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGEST_FILE = 1 << 20, SPOILT_LIMIT = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_bytes(uint8_t *data, size_t size)
{
    size_t limit = size < SPOILT_LIMIT ? size : SPOILT_LIMIT;

    LLVMFuzzerTestOneInput(data, size);
    for (size_t i = 0; i < limit; i++) {
        LLVMFuzzerTestOneInput(data, i);
        data[i] ^= 0xff;
        LLVMFuzzerTestOneInput(data, size);
        data[i] ^= 0xff;
    }
}

static int replay_file(const char *folder, const char *name)
{
    char path[4096];
    uint8_t *data = malloc(LARGEST_FILE);
    FILE *file;
    size_t size;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file == NULL || data == NULL) {
        perror(path);
        free(data);
        return -1;
    }
    size = fread(data, 1, LARGEST_FILE, file);
    fclose(file);
    replay_bytes(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    unsigned count = 0;

    if (folder == NULL) {
        fprintf(stderr, "usage: replay CORPUS\n");
        return 2;
    }
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (replay_file(argv[1], entry->d_name) < 0)
            return 1;
        count++;
    }
    closedir(folder);
    printf("%u files\n", count);
    return count == 0;
}
