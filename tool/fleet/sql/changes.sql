(SELECT service, stack, any(host) AS host, max(is_after) AS is_there,
    if(sum(shared) > 0, least(toFloat64(count()),
        1 + pow(sum(sqrt(shared)), 2) / sum(shared)), 1) AS times,
    sum(x) AS before, sum(y) AS after, sum(least(x, freed)) AS gone,
    sum(x_variance) * times AS before_variance,
    sum(least(x_variance, freed_variance)) * times AS gone_variance,
    sum(greatest(0, y_variance - x_variance +
        least(x_variance, freed_variance))) * times AS made_variance
FROM (SELECT service, stack, label_names, label_values, any(family) AS family,
        any(host) AS host, countIf({before}) AS is_before,
        countIf({after}) AS is_after, sumIf(toInt64({value}), {before}) AS x,
        sumIf(toInt64({value}), {after}) AS y,
        sumIf(variances[{error}], {before}) AS x_variance,
        sumIf(variances[{error}], {after}) AS y_variance,
        if(is_before * is_after > 0, {live} * (
            sumIf(toInt64(free_{unit}), {after}) -
            sumIf(toInt64(free_{unit}), {before})), x) AS freed,
        if(is_before * is_after > 0, {live} * (
            sumIf(variances[{error} + 2] - variances[{error}], {after}) -
            sumIf(variances[{error} + 2] - variances[{error}], {before})),
            x_variance) AS freed_variance,
        {live} * max(variances[{error} + 4]) AS shared
    FROM {rows} AS of GLOBAL ANY LEFT JOIN {owners} AS owners USING snapshot
    GROUP BY service, stack, label_names, label_values, process)
GROUP BY service, stack, label_names, label_values, family)
