/* SPDX-License-Identifier: Apache-2.0 */
/*
 * map_forms.c - anonymous memory split, overlaid, moved, grown and shrunk
 *
 * Each function is a call site and leaves a known number of pages; heap totals
 * must not change.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096, ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS };

static char *map_at(char *at, size_t pages, int flags)
{
    char *mapped = mmap(at, pages * PAGE, PROT_READ | PROT_WRITE,
                        ANONYMOUS | flags, -1, 0);

    REQUIRE(mapped != MAP_FAILED);
    return mapped;
}

/* Unmap the first, the last and two middle pages of 10: 6 stay, in 2 parts. */
static void partial_unmap(void)
{
    char *pages =
        mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED);
    REQUIRE(munmap(pages, PAGE) == 0);
    REQUIRE(munmap(pages + 9 * PAGE, PAGE) == 0);
    REQUIRE(munmap(pages + 4 * PAGE, 2 * PAGE) == 0);
    memset(pages + PAGE, 1, 3 * PAGE);
    memset(pages + 6 * PAGE, 1, 3 * PAGE);
}

static char *overlaid(void)
{
    return mmap(NULL, 10 * PAGE, PROT_NONE, ANONYMOUS, -1, 0);
}

/* Map over 3 of the 10 pages of another call site: they count for this one. */
static void overlay(void)
{
    char *under = overlaid();
    char *over = mmap(under + 2 * PAGE, 3 * PAGE, PROT_READ | PROT_WRITE,
                      ANONYMOUS | MAP_FIXED, -1, 0);

    REQUIRE(over == under + 2 * PAGE);
}

/* Map a file over anonymous memory: 3 of 4 pages stay anonymous. */
static void overlay_by_file(void)
{
    char *under = mmap(NULL, 4 * PAGE, PROT_NONE, ANONYMOUS, -1, 0);
    int file = open("/proc/self/exe", O_RDONLY);

    REQUIRE(file >= 0);
    REQUIRE(mmap(under + PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, file,
                 0) == under + PAGE);
    close(file);
}

/* Map 3 pages of a memory file; half a page counts as one. */
static void memory_file(void)
{
    int file = memfd_create("memory", MFD_CLOEXEC);

    REQUIRE(file >= 0 && ftruncate(file, 3 * PAGE) == 0);
    REQUIRE(mmap(NULL, 5 * PAGE / 2, PROT_READ, MAP_SHARED, file, 0) !=
            MAP_FAILED);
    close(file);
}

/* Take memory from the break directly: it is counted to the byte. */
static void by_break(void)
{
    char *end = sbrk(1000);

    REQUIRE(end != (void *)-1);
    REQUIRE(sbrk(-300) == end + 1000);
    REQUIRE(brk(end + 750) == 0);
    REQUIRE(sbrk(0) == end + 750);
    REQUIRE(brk((char *)1) == 0 && sbrk(0) == end + 750);
    REQUIRE(sbrk((intptr_t)1 << 46) == (void *)-1);
}

/* Remap 4 pages to 2, then to 20, which moves; mmap's call site keeps them. */
static void remap(void)
{
    char *pages =
        mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);

    REQUIRE(mremap(pages, 4 * PAGE, 2 * PAGE, 0) == pages);
    pages = mremap(pages, 2 * PAGE, 20 * PAGE, MREMAP_MAYMOVE);
    REQUIRE(pages != MAP_FAILED);
    memset(pages, 1, 20 * PAGE);
}

static char *reserve(void)
{
    return mmap(NULL, 8 * PAGE, PROT_NONE, ANONYMOUS, -1, 0);
}

/* Move 2 pages into the middle of 8 of another call site, which keeps 6. */
static void remap_fixed(void)
{
    char *target = reserve();
    char *pages =
        mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);

    REQUIRE(mremap(pages, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                   target + 3 * PAGE) == target + 3 * PAGE);
}

/* Let mmap and munmap fail: no figure changes. */
static void fail(void)
{
    char *page = map_at(NULL, 1, 0);

    errno = 0;
    REQUIRE(mmap(NULL, SIZE_MAX / 2, PROT_READ, ANONYMOUS, -1, 0) ==
            MAP_FAILED);
    REQUIRE(errno == ENOMEM);
    errno = 0;
    REQUIRE(munmap(page + 1, PAGE) == -1 && errno == EINVAL);
    errno = 0;
    REQUIRE(mremap(page, PAGE, SIZE_MAX / 2, 0) == MAP_FAILED);
    REQUIRE(errno != 0);
}

/* Unmap a hundred mappings with one munmap. */
static void unmap_many(void)
{
    char *all = reserve();

    REQUIRE(munmap(all, 8 * PAGE) == 0);
    all = map_at(NULL, 100, 0);
    for (int i = 0; i < 100; i++)
        map_at(all + i * PAGE, 1, MAP_FIXED);
    REQUIRE(munmap(all, 100 * PAGE) == 0);
}

/* Map 100 bytes: they count as a page. */
static void odd_size(void)
{
    REQUIRE(mmap64(NULL, 100, PROT_READ, ANONYMOUS, -1, 0) != MAP_FAILED);
}

/* Make system calls past libc: they are counted, and attributed to no stack. */
static void raw_calls(void)
{
    long at = syscall(SYS_mmap, NULL, 5 * PAGE, PROT_READ, ANONYMOUS, -1, 0);

    REQUIRE(at != -1);
    at = syscall(SYS_mremap, at, 5 * PAGE, 6 * PAGE, MREMAP_MAYMOVE, 0);
    REQUIRE(at != -1);
    REQUIRE(syscall(SYS_munmap, at, 6 * PAGE) == 0);
}

int main(void)
{
    partial_unmap();
    overlay();
    overlay_by_file();
    remap();
    remap_fixed();
    fail();
    unmap_many();
    odd_size();
    memory_file();
    by_break();
    raw_calls();
    victim_keep(malloc(100));
    return 0;
}
