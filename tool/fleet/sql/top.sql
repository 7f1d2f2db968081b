SELECT sum(live_bytes), sum(live_blocks), sum(alloc_bytes), uniqExact(host),
    uniqExact(snapshot), {by}
FROM {rows} GROUP BY {by} ORDER BY sum({value}) DESC, {by} LIMIT {limit}
