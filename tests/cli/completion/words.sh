# SPDX-License-Identifier: Apache-2.0
# Words for the scripts of shells: each line is a command line up to the cursor.
try() {
    echo "[$*]"
    tally completion --words "$@"
}
try re
try ""
try nosuch ""
try help rep
try export --
try report --so
try report --sort=t
try report --sort to
try report --sort live --kind=
try report --sum=
try report --nosuch=
try report -- --so
try report --callers ""
try export --to p
try export -o ""
try top -s r
try allocinfo --format ""
try diff --color=n
try capture ""
try ctl 1 ""
try ctl --
try record --snapshot-on=
try attach --snap
try attach -o x --stacks=
try detach --
try record --wait ""
try record ""
try record -q -o x l
try record -o
try record -- --stacks
try record ls --all
tally completion
echo $?
tally completion ksh
echo $?
TALLY_SYSCTL=nonsense tally completion --words report --sor
