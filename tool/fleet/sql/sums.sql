(SELECT who, machine, snapshots, live_bytes, live_blocks, alloc_bytes,
    alloc_blocks, arrayMap((own, shared, deviation) -> own - shared +
        pow(sqrt(shared) + deviation, 2), owns, arrayMap((own, old, n) ->
        if(n > 1, least(own, old), 0), owns, olds, counts), deviations)
    AS shared_errors, arrayConcat(shared_errors, seen) AS errors
FROM (SELECT {by} AS who, family, any(host) AS machine,
        [count(), count(), 0] AS counts,
        groupArray(snapshot) AS snapshots, sum(live_bytes) AS live_bytes,
        sum(live_blocks) AS live_blocks, sum(alloc_bytes) AS alloc_bytes,
        sum(alloc_blocks) AS alloc_blocks,
        sumForEach([variances[1] - variances[5], variances[2] - variances[6],
            variances[3]]) AS owns,
        sumForEach([variances[5], variances[6], 0]) AS olds,
        sumForEach([sqrt(variances[5]), sqrt(variances[6]), 0]) AS deviations,
        sumForEach([variances[7], variances[8], variances[9],
            notEmpty(variances)]) AS seen
    FROM {rows} AS of GLOBAL ANY LEFT JOIN {owners} AS owners USING snapshot
    GROUP BY who, family, stack, label_names, label_values))
