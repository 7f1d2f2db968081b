SELECT uniqExact(image), uniqExactIf(image, sample_interval > 0),
    uniqExact(host), max(sample_interval)
FROM tally_snapshots WHERE {filter} {labelled} AND {latest}
