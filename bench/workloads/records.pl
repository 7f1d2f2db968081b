# SPDX-License-Identifier: Apache-2.0
# Hashes of arrays of strings, split and sorted again.
# usage: records.pl COUNT
my $count = shift;
my %records;
my $sum = 0;
for my $i (1 .. $count) {
    my $key = "key" . ($i * 6151 % $count);
    push @{ $records{$key} }, join(",", map { $i + $_ } 1 .. 6);
}
for my $key (sort keys %records) {
    for my $text (@{ $records{$key} }) {
        my @fields = split /,/, $text;
        $sum += $fields[0] + length($text);
    }
}
print "$sum\n";
