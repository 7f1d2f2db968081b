SELECT service, version FROM (SELECT service, version, min(time) AS first
    FROM tally_snapshots WHERE {filter} {labelled} GROUP BY service, version)
ORDER BY service, first DESC, version DESC
