# SPDX-License-Identifier: Apache-2.0
# A log of visits, line by line: who came from where, and how long they stayed.
# usage: pl.pl COUNT
use strict;
use warnings;

my $count = shift;
my @towns = qw(Aachen Bergen Calais Dundee Esbjerg Faro Ghent);
my %visits;

for my $number (1 .. $count) {
    my $visitor = sprintf "visitor-%06d", $number * 5003 % ($count / 3);
    my @fields = ($towns[$number % 7], $number % 86400, $number % 613, "end");
    push @{ $visits{$visitor} }, join("|", @fields);
}

my %stay;
for my $visitor (sort keys %visits) {
    for my $line (@{ $visits{$visitor} }) {
        my ($town, $from, $minutes) = split /\|/, $line;
        $stay{"$town/" . int($from / 3600)} += $minutes;
        (my $copy = $line) =~ s/\|/; /g;
        $stay{longest} = length $copy
            if length $copy > ($stay{longest} // 0);
    }
}
print join(" ", map { "$_=$stay{$_}" } (sort keys %stay)[0 .. 2]), "\n";
