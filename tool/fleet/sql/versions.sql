SELECT service, version FROM (SELECT service, version, min(time) AS first
    FROM tally_snapshots WHERE {filter} GROUP BY service, version)
ORDER BY service, first DESC, version DESC
