SELECT x, median, h, stack
FROM (SELECT stack, groupArray(host) AS hs, groupArray(x) AS xs,
        (SELECT uniqExact(host) FROM tally_snapshots
            WHERE {filter} {labelled}) AS n,
        intDiv(n, 2) + length(xs) < n ? toInt64(0)
            : toInt64(arraySort(xs)[intDiv(n, 2) + length(xs) - n + 1])
            AS median
    FROM (SELECT stack, host, sum({value}) AS x
        FROM {rows} GROUP BY stack, host)
    GROUP BY stack)
ARRAY JOIN hs AS h, xs AS x
WHERE x > 3 * median ORDER BY x - median DESC, h, stack LIMIT {limit}
