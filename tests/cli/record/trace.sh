# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# Each call is a line; the other form adds thread and time. The last message
# names the files.
tally record --trace=t -o a.tally -- /bin/sh -c 'echo hello'
tally record --events=e -o b.tally -- /bin/sh -c 'echo hello'
line='^#[mrcf]:0x[0-9a-f]*;0x[0-9a-f]*-[0-9a-fx;]*$'
grep -c "$line" t | sed 's/^[1-9][0-9]*$/some/'
grep -v "$line" t
tally decode e | sed 's/ .*//' | grep -v "$line"
ls e
tally record -q --events -o c.tally -- /bin/echo named
tally record -q --events -- /bin/sh -c 'echo $$ >pid'
ls -d c.events sh.*.events | sed "s/$(cat pid)/PID/"
