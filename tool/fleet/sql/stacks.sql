SELECT 'stack', kind, label_names, label_values, b, a, x0, x1, x2, x3, x4, x5
FROM (SELECT kind, label_names, label_values, stack,
        sum(live_blocks) AS x0, sum(live_bytes) AS x1,
        sum(alloc_blocks) AS x2, sum(alloc_bytes) AS x3,
        sum(free_blocks) AS x4, sum(free_bytes) AS x5
    FROM {rows} GROUP BY kind, label_names, label_values, stack) AS of
GLOBAL ANY LEFT JOIN (SELECT stack, any(builds) AS b, any(addresses) AS a
    FROM tally_stacks WHERE stack {which} GROUP BY stack) AS places
USING stack ORDER BY x1 DESC, stack, kind, label_values
