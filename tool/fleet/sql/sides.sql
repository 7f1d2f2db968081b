(SELECT service, uniqExactIf(image, {before}) AS b,
    uniqExactIf(image, {after}) AS a
FROM tally_snapshots WHERE {filter} {labelled} AND {latest}
GROUP BY service HAVING b > 0 AND a > 0)
