(SELECT kind, if(twin = 0, own, twin) AS stack, time, service, version, host,
    snapshot, live_blocks, live_bytes, alloc_blocks, alloc_bytes
FROM (SELECT kind, stack AS own, time, service, version, host, snapshot,
        live_blocks, live_bytes, alloc_blocks, alloc_bytes FROM {each}) AS of
GLOBAL ANY LEFT JOIN ({twins}) AS names USING own)
