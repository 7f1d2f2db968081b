# SPDX-License-Identifier: Apache-2.0
# Nothing on standard output, so that no program takes it for a trace.
echo 'hello' > words
head -c 100000 /dev/zero > zeros
head -c 300000 "$TALLY" > program # a sanitized one is 12 MB
for file in words zeros . program missing; do
    tally decode --json "$file"; echo "exit $?"
done
