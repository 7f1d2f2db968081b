SELECT sum(live_bytes), sum(live_blocks), sum(alloc_bytes), uniqExact(machine),
    uniqExactArray(snapshots), who, sumForEach(errors)
FROM {sums} GROUP BY who ORDER BY sum({value}) DESC, who LIMIT {limit}
