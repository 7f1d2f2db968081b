# SPDX-License-Identifier: Apache-2.0
: > there.tally
mkdir images.tally.d
tally record -o there.tally -- /bin/touch ran
echo $?
tally record -o images.tally -- /bin/touch ran
echo $?
tally record -o no/such/folder/x -- /bin/touch ran
echo $?
wc -c there.tally
ls
