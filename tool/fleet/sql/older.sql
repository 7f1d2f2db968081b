(service, version) GLOBAL IN ({versions} LIMIT 2 BY service) AND NOT {after}
