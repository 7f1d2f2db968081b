SELECT toInt64(y - x * {after_count} / {before_count}) AS growth,
    toInt64(x / {before_count}), toInt64(y / {after_count}), hosts, stack
FROM (SELECT stack, sumIf({value}, {before}) AS x,
        sumIf({value}, {after}) AS y, uniqExactIf(host, {after}) AS hosts
    FROM {rows} GROUP BY stack)
WHERE growth != 0 ORDER BY growth DESC, stack LIMIT {limit}
