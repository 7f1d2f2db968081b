tally decode --help
