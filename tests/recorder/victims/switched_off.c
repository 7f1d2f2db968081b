/* SPDX-License-Identifier: Apache-2.0 */
/*
 * switched_off.c - switch recording off and on in a running program
 *
 * Blocks allocated while recording is on are counted until they are freed or
 * resized, on or off; blocks allocated while it is off never are. In some
 * phases all blocks are freed, so that no counted one is left.
 *
 * usage: switched_off TALLY alone|threads
 *
 * Print blocks and bytes allocated, and blocks and bytes live, of take() and
 * change().
 */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOTS = 200, PHASES = 12, STEPS = 2000, LARGEST = 400 };

struct slot {
    void *block;
    size_t size;
    bool is_recorded;
};

static struct slot slots[SLOTS];
static unsigned long blocks, bytes;
static bool is_on = true;
static unsigned seed = 1;

static unsigned next_random(unsigned limit)
{
    seed = seed * 1103515245u + 12345u;
    return seed / 65536 % limit;
}

static void count(struct slot *slot, size_t size)
{
    slot->size = size;
    slot->is_recorded = is_on;
    blocks += is_on;
    bytes += is_on ? size : 0;
}

static __attribute__((noinline)) void *take(unsigned form, size_t size)
{
    void *volatile block = NULL;

    if (form == 0)
        block = malloc(size);
    else if (form == 1)
        block = calloc(1, size);
    else if (form == 2)
        block = aligned_alloc(16, size);
    else if (posix_memalign((void **)&block, 64, size) != 0)
        block = NULL;
    return block;
}

static __attribute__((noinline)) void *change(void *block, size_t size)
{
    void *volatile moved = realloc(block, size);

    return moved;
}

static void step(void)
{
    struct slot *slot = &slots[next_random(SLOTS)];
    size_t size = 1 + next_random(LARGEST);

    if (slot->block == NULL) {
        slot->block = take(next_random(4), size);
        count(slot, size);
    } else if (next_random(3) == 0) {
        slot->block = change(slot->block, size);
        count(slot, size);
    } else {
        free(slot->block);
        slot->block = NULL;
    }
}

/* Use rare forms right after a switch, before any malloc. */
static void take_rare_forms(void)
{
    for (unsigned form = 2; form < 4; form++) {
        struct slot slot = { take(form, 100), 0, false };

        count(&slot, 100);
        free(slot.block);
        free(NULL);
    }
}

static void free_all(void)
{
    for (int i = 0; i < SLOTS; i++) {
        free(slots[i].block);
        slots[i].block = NULL;
    }
}

static void turn(const char *tally, bool on)
{
    char pid[32], *environment[] = { NULL };
    char *arguments[] = { (char *)tally, "ctl", pid,
                          on ? "vm.mem_profiling=1" : "vm.mem_profiling=0",
                          NULL };
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;

    snprintf(pid, sizeof pid, "%d", (int)getpid());
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, tally, &actions, NULL, arguments, environment) !=
            0 ||
        waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "switched_off: status %d\n", status);
        _exit(1);
    }
    posix_spawn_file_actions_destroy(&actions);
    is_on = on;
}

static void *idle(void *unused)
{
    (void)unused;
    pause();
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long live = 0, live_bytes = 0;
    pthread_t thread;

    if (argc != 3 || (strcmp(argv[2], "threads") == 0 &&
                      pthread_create(&thread, NULL, idle, NULL) != 0))
        return 2;
    for (int phase = 0; phase < PHASES; phase++) {
        for (int i = 0; i < STEPS; i++)
            step();
        if (phase % 4 == 3)
            free_all();
        turn(argv[1], phase % 2 != 0);
        take_rare_forms();
        if (phase % 4 == 0)
            free_all();
    }
    for (int i = 0; i < STEPS; i++)
        step();
    for (int i = 0; i < SLOTS; i++) {
        bool is_live = slots[i].block != NULL && slots[i].is_recorded;

        live += is_live;
        live_bytes += is_live ? slots[i].size : 0;
    }
    printf("%lu %lu %lu %lu\n", blocks, bytes, live, live_bytes);
    fflush(stdout);
    _exit(0);
}
