SELECT 'stack', 'heap', emptyArrayString(), emptyArrayString(), any(builds),
    any(addresses), 0, 0, 0, stack, 0, stack
FROM tally_stacks WHERE stack {which} GROUP BY stack
