snapshot GLOBAL IN (SELECT argMax(snapshot, instant)
    FROM tally_snapshots WHERE {filter} GROUP BY image)
