tally_samples WHERE {filter} AND kind IN ('heap', 'maps'){label}{choice}
    AND {latest}
