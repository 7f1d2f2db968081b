/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps.c - see smaps.h
 *
 * An entry is a line as in /proc/PID/maps and lines "NAME: VALUE" about it. What
 * a newer kernel tells besides is passed over.
 */
#include "tool/session/sampling/smaps.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    char name[3];
    uint32_t flag;
} flag_names[] = {
    { "dd", SMAPS_NOT_DUMPED },
    { "nh", SMAPS_NO_HUGE_PAGES },
    { "nr", SMAPS_NO_RESERVE },
};

static bool read_line(struct smaps *smaps)
{
    return getline(&smaps->line, &smaps->capacity, smaps->file) > 0;
}

static void keep_path(struct smaps_entry *entry, char *path)
{
    size_t length = strcspn(path, "\n");

    path[length] = '\0';
    if (length >= sizeof entry->path)
        path += length - (sizeof entry->path - 1);
    strcpy(entry->path, path);
}

/* START-END ACCESS OFFSET DEVICE INODE PATH; false: it is another line. */
static bool begin(struct smaps_entry *entry, char *line)
{
    int path = 0;

    *entry = (struct smaps_entry){ 0 };
    if (!isdigit((unsigned char)line[0]) && !islower((unsigned char)line[0]))
        return false;
    if (sscanf(line,
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n",
               &entry->start, &entry->end, entry->access, &entry->offset,
               &entry->inode, &path) != 5 ||
        entry->start >= entry->end)
        return false;
    keep_path(entry, line + path);
    return true;
}

static void read_flags(struct smaps_entry *entry, const char *line)
{
    for (size_t i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++) {
        if (strstr(line, flag_names[i].name) != NULL)
            entry->flags |= flag_names[i].flag;
    }
}

static void read_value(struct smaps_entry *entry, const char *line)
{
    uint64_t kilobytes;

    if (strncmp(line, "VmFlags:", 8) == 0)
        read_flags(entry, line + 8);
    else if (strncmp(line, "Rss:", 4) == 0 &&
             sscanf(line + 4, "%" SCNu64, &kilobytes) == 1 &&
             kilobytes <= (entry->end - entry->start) / 1024)
        entry->resident = kilobytes * 1024;
}

bool smaps_next(struct smaps *smaps, struct smaps_entry *entry)
{
    struct smaps_entry next;

    while (!smaps->is_ahead) {
        if (!read_line(smaps))
            return false;
        smaps->is_ahead = begin(entry, smaps->line);
    }
    if (smaps->line == NULL || !begin(entry, smaps->line))
        return false;
    smaps->is_ahead = false;
    while (read_line(smaps)) {
        smaps->is_ahead = begin(&next, smaps->line);
        if (smaps->is_ahead)
            break;
        read_value(entry, smaps->line);
    }
    return true;
}

void smaps_end(struct smaps *smaps)
{
    free(smaps->line);
    smaps->line = NULL;
}
