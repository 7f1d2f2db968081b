# SPDX-License-Identifier: Apache-2.0
# A file without a byte may be the text of a program that allocated nothing.
: > empty
for command in report decode allocinfo "export --to=folded" "diff empty"; do
    tally $command empty > out
    echo "$command: $?, $(head -n 1 out)"
done
tally report --json empty | jq -c '.totals | [.allocations, .leaked_bytes]'
tally decode --json empty | jq -c .
tally export --to=tef empty | jq -r '.[].name'
tally top empty
echo "top: $?"
