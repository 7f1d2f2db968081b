SELECT version FROM tally_snapshots WHERE {filter}
GROUP BY version ORDER BY min(time) DESC, version DESC LIMIT 2
