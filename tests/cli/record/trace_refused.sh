# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Nothing is overwritten, and nothing is left behind when nothing was run.
: >there
mkdir folder
for options in '--trace=t --events' --trace=there --trace=folder \
    --trace=no/such/t --trace=- --events=folder --events=there \
    --events=no/such/e --events=-; do
    tally record -o x.tally $options -- /bin/touch ran
    echo "$options: $?"
done
tally record --trace=t -o x.tally -- /bin/no_such_program
tally record --events=e -o x.tally -- /bin/no_such_program
ls
