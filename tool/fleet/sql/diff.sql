SELECT toInt64(round(y - x * (a / b))) AS growth, toInt64(round(x / b)),
    toInt64(round(y / a)), hosts, service, stack
FROM (SELECT service, stack, sumIf({value}, {before}) AS x,
        sumIf({value}, {after}) AS y, uniqExactIf(host, {after}) AS hosts
    FROM {rows} GROUP BY service, stack) AS of
GLOBAL ALL INNER JOIN {sides} AS sides USING service
WHERE growth != 0 ORDER BY growth DESC, service, stack LIMIT {limit}
