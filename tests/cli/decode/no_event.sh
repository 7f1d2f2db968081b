# SPDX-License-Identifier: Apache-2.0
# Nothing on standard output, so that nobody takes it for a trace.
echo 'hello' > words
head -c 100000 /dev/zero > zeros
cp "$TALLY" program
for file in words zeros . program missing; do
    tally decode --json "$file"; echo "exit $?"
done
