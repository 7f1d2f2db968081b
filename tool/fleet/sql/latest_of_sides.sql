(snapshot GLOBAL IN (SELECT argMax(snapshot, instant)
    FROM tally_snapshots WHERE {filter} AND {before} GROUP BY image)
OR snapshot GLOBAL IN (SELECT argMax(snapshot, instant)
    FROM tally_snapshots WHERE {filter} AND {after} GROUP BY image))
