SELECT who, sum(live_bytes), sum(live_blocks), sum(alloc_bytes),
    uniqExact(machine), uniqExactArray(snapshots), sumForEach(errors)
FROM {sums} GROUP BY who ORDER BY who
