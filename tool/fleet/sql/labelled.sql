AND snapshot GLOBAL IN (SELECT snapshot FROM tally_samples
    WHERE {filter}{label})
