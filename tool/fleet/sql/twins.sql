SELECT own, twin
FROM (SELECT groupArray(own) AS owns, argMax(own, last) AS twin
    FROM (SELECT own, max(last_) AS last, arrayStringConcat(arrayMap(x -> x.2,
            arraySort(x -> x.1, groupArray((i, if(name = '',
                concat(build, ':', toString(address)), name))))), '\n') AS calls
        FROM (SELECT own, last_, build, address, i
            FROM (SELECT stack AS own, max(seen) AS last_, any(builds) AS bs,
                    any(addresses) AS ads
                FROM tally_stacks WHERE stack GLOBAL IN (SELECT stack
                    FROM tally_samples WHERE {filter})
                GROUP BY stack)
            ARRAY JOIN bs AS build, ads AS address, arrayEnumerate(ads) AS i)
        GLOBAL ANY LEFT JOIN (SELECT build, address, if(empty(called), '',
                concat(module, ':', arrayStringConcat(called, ';'))) AS name
            FROM (SELECT build, address, argMax(functions, named) AS called,
                    replaceRegexpAll(any(path), '^.*/|[.]so[.0-9]*$', '')
                    AS module
                FROM tally_names GROUP BY build, address))
        USING build, address
        GROUP BY own)
    GROUP BY calls)
ARRAY JOIN owns AS own
