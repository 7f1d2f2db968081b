SELECT uniqExactIf(image, {before}), uniqExactIf(image, {after})
FROM tally_snapshots WHERE {filter}
