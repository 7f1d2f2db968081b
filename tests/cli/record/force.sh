# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# An earlier recording gives way with --force, and nothing else does.
program() { printf '#!/bin/sh\n/bin/true %s\n/bin/true\n' "$1" > program; chmod +x program; }
program one
tally record -q -o x.tally --events -- ./program
ls x.tally x.tally.d x.events | sed 's/[0-9][0-9]*-/PID-/'
tally record -q -o x.tally -- ./program
echo $?
program two
cp x.tally x.tally.1
cp x.tally x.tally.2
echo mine > x.tally.3
tally record -q -f -o x.tally --events -- ./program
echo $?
tally report --full --process='*sh' x.tally | head -1 | sed 's/process [0-9]*/process PID/'
ls -d x.tally* x.events* | sort
ls x.tally.d | wc -l
tally decode x.events > events && [ -s events ] && echo events
tally record -q --force -o new.tally -- ./program
ls -d new.tally
echo "-- what stays"
tally record -q --force --allocator=zz_ -o new.tally -- ./program
ls -d new.tally
echo mine > x.tally.d/thesis
tally record -q --force -o x.tally -- ./program
ls x.tally
tally record -q --force -o program -- ./program
cat program
ln -s x.tally link
tally record -q --force -o link -- ./program
echo $?
mkdir folder
touch folder/thesis
tally record -q --force --events=folder -o y.tally -- ./program
echo $?
tally record -q --force --trace=/dev/null -o y.tally -- ./program
echo $?
ls -d /dev/null folder/thesis
