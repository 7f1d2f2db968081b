SELECT 'names', build, address, any(path), argMax(functions, named),
    argMax(files, named), argMax(lines, named)
FROM tally_names WHERE (build, address) GLOBAL IN (SELECT build, address
    FROM tally_stacks ARRAY JOIN builds AS build, addresses AS address
    WHERE stack {which})
GROUP BY build, address ORDER BY build, address
