SELECT toInt64(round(y - x * (a / b))) AS growth, toInt64(round(x / b)),
    toInt64(round(y / a)), hosts, service, stack,
    [z * (a / b) + (x - z) * greatest(a / b - 1, 0),
        z_variance * pow(a / b, 2) +
            (x_variance - z_variance) * pow(greatest(a / b - 1, 0), 2),
        y - x + z + (x - z) * greatest(1 - a / b, 0),
        made + (x_variance - z_variance) * pow(greatest(1 - a / b, 0), 2)]
FROM (SELECT service, stack, sum(before) AS x, sum(after) AS y,
        sum(gone) AS z, sum(before_variance) AS x_variance,
        sum(gone_variance) AS z_variance, sum(made_variance) AS made,
        uniqExactIf(host, is_there > 0) AS hosts
    FROM {changes} GROUP BY service, stack) AS of
GLOBAL ALL INNER JOIN {sides} AS sides USING service
WHERE growth != 0 ORDER BY growth DESC, service, stack LIMIT {limit}
