(SELECT kind, if(twin = 0, own, twin) AS stack, label_names, label_values,
    time, service, version, host, snapshot, live_blocks, live_bytes,
    alloc_blocks, alloc_bytes, free_blocks, free_bytes, variances
FROM (SELECT kind, stack AS own, label_names, label_values, time, service,
        version, host, snapshot, live_blocks, live_bytes, alloc_blocks,
        alloc_bytes, free_blocks, free_bytes, variances FROM {each}) AS of
GLOBAL ANY LEFT JOIN ({twins}) AS names USING own)
