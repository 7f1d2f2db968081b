SELECT toDate(time) AS day, sum(live_bytes), sum(live_blocks),
    sum(alloc_bytes), uniqExact(host), uniqExact(snapshot)
FROM {rows} GROUP BY day ORDER BY day
