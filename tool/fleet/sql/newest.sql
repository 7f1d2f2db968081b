(service, version) GLOBAL IN ({versions} LIMIT 1 BY service)
