(SELECT snapshot, kind, stack, label_names, label_values, time_ AS time,
    service_ AS service, version_ AS version, host_ AS host,
    live_blocks_ AS live_blocks, live_bytes_ AS live_bytes,
    alloc_blocks_ AS alloc_blocks, alloc_bytes_ AS alloc_bytes,
    free_blocks_ AS free_blocks, free_bytes_ AS free_bytes, variances
FROM (SELECT snapshot, kind, stack, label_names, label_values,
        any(time) AS time_, any(service) AS service_,
        any(version) AS version_, any(host) AS host_,
        any(live_blocks) AS live_blocks_, any(live_bytes) AS live_bytes_,
        any(alloc_blocks) AS alloc_blocks_, any(alloc_bytes) AS alloc_bytes_,
        any(free_blocks) AS free_blocks_, any(free_bytes) AS free_bytes_,
        any(variances) AS variances
    FROM {samples}
    GROUP BY snapshot, kind, stack, label_names, label_values))
