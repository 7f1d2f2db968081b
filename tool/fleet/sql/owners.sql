(SELECT snapshot, any(image) AS process, any(tree) AS family
FROM tally_snapshots WHERE {filter} GROUP BY snapshot)
