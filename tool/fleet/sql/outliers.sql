SELECT x, toInt64(middle / 2) AS median, h, stack
FROM (SELECT stack, groupArray(host) AS hs, groupArray(x) AS xs,
        arraySort(xs) AS sorted,
        (SELECT uniqExact(host) FROM tally_snapshots
            WHERE {filter} {labelled} AND {latest}) AS n,
        toInt64(sorted[greatest(intDiv(n - 1, 2) + 1 + length(xs) - n, 0)]) +
            toInt64(sorted[greatest(intDiv(n, 2) + 1 + length(xs) - n, 0)])
            AS middle
    FROM (SELECT stack, host, sum({value}) AS x
        FROM {rows} GROUP BY stack, host)
    GROUP BY stack)
ARRAY JOIN hs AS h, xs AS x
WHERE 2 * x > 3 * middle ORDER BY 2 * x - middle DESC, h, stack LIMIT {limit}
