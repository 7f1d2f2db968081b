SELECT 'note', concat('sums of ', toString(uniqExact(image)),
    ' processes of ', toString(uniqExact(host)), ' hosts, ',
    toString(uniqExactIf(image, sample_interval > 0)),
    ' of which were sampled: estimates')
FROM tally_snapshots WHERE {filter}
