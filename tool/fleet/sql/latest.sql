snapshot GLOBAL IN (SELECT argMax(snapshot, time)
    FROM tally_snapshots WHERE {filter} GROUP BY image)
