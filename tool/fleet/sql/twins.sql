SELECT own, twin
FROM (SELECT groupArray(own) AS owns, argMax(own, last) AS twin
    FROM (SELECT own, max(last_) AS last,
            sum(cityHash64(i, if(name = 0, place, name))) AS calls
        FROM (SELECT own, last_, place, i
            FROM (SELECT stack AS own, max(seen) AS last_,
                    arrayMap((b, a) -> cityHash64(b, a), any(builds),
                        any(addresses)) AS places
                FROM tally_stacks WHERE stack GLOBAL IN (SELECT stack
                    FROM tally_samples WHERE {filter}){also}
                GROUP BY stack)
            ARRAY JOIN places AS place, arrayEnumerate(places) AS i) AS of
        GLOBAL ANY LEFT JOIN (SELECT cityHash64(build, address) AS place,
                argMax(if(empty(functions), toUInt64(0), cityHash64(functions,
                    replaceRegexpAll(path, '^.*/|[.]so[.0-9]*$', ''))), named)
                AS name
            FROM tally_names GROUP BY place) AS names
        USING place
        GROUP BY own)
    GROUP BY calls)
ARRAY JOIN owns AS own
