tally_samples WHERE {filter} AND kind IN ('heap', 'maps'){choice}
    AND {latest}
