# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A name that is taken, before or meanwhile, is left alone.
tally record -q /bin/sh -c 'echo $$ > pid; sleep 0.3; : > "sh.$$.tally"
    /bin/echo'
ls | sed "s/$(cat pid)/PID/"
ls "sh.$(cat pid).tally.1.d" | sed 's/^[0-9]*-/PID-/'
wc -c < "sh.$(cat pid).tally"
