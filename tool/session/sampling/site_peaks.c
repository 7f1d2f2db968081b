/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_peaks.c - see site_peaks.h
 *
 * Sites come in the order in which they lie, so that one page of the live
 * ledger at a time is enough. It is allocated by fallocate(), which can fail,
 * before it is touched, which could kill.
 */
#include "tool/session/sampling/site_peaks.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

uint64_t site_peaks_live_bytes(const struct ledger_site_view *site)
{
    uint64_t live = site->inherited_bytes + site->counter.alloc_bytes -
                    site->counter.free_bytes;

    return (int64_t)live < 0 ? 0 : live;
}

void site_peaks_end(struct site_peaks *peaks)
{
    if (peaks->page != NULL)
        munmap(peaks->page, LEDGER_PAGE);
    peaks->page = NULL;
}

static bool map_page(struct site_peaks *peaks, uint64_t page_offset)
{
    off_t at = (off_t)(peaks->extent + page_offset);
    void *page;

    if (peaks->page != NULL && peaks->page_offset == page_offset)
        return true;
    site_peaks_end(peaks);
    if (fallocate(peaks->fd, FALLOC_FL_KEEP_SIZE, at, LEDGER_PAGE) < 0)
        return false;
    page = mmap(NULL, LEDGER_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                peaks->fd, at);
    if (page == MAP_FAILED)
        return false;
    peaks->page = page;
    peaks->page_offset = page_offset;
    return true;
}

static void raise(struct ledger_site *site, uint64_t live)
{
    uint64_t held = __atomic_load_n(&site->peak_seen, __ATOMIC_RELAXED);

    while (held < live &&
           !__atomic_compare_exchange_n(&site->peak_seen, &held, live, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void site_peaks_see(struct site_peaks *peaks,
                    const struct ledger_site_view *site)
{
    uint64_t page_offset = site->offset & ~(uint64_t)(LEDGER_PAGE - 1);
    uint64_t live = site_peaks_live_bytes(site);

    if (live <= site->peak_seen)
        return;
    raise((void *)(peaks->snapshot->bytes + site->offset), live);
    if (peaks->fd >= 0 && map_page(peaks, page_offset))
        raise((void *)(peaks->page + (site->offset - page_offset)), live);
}
