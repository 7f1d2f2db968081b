# SPDX-License-Identifier: Apache-2.0
# Suggestions for a misspelt command, option or value.
try() {
    tally "$@"
    echo "$*: $?"
}
try reprot
try snaphsot 1
try frobnicate
try --verison
try report --srot=live x
try report --older-then 5s x
try report --frobnicate x
try export --ot svg x
try report --sort=totla x
try report --sort=l x
try report --kind=heep x
try report --sum=modul x
try report --color=alway x
try record --stacks=smapled true
try record --snapshot-on=SIGUSR3 true
try export --to pporf x
try report --sort=tolat x
try export --value=tmporary --to svg x
try top --sort=balance
try diff --sort=growht a b
try record --wait=frist true
try ctl 1 vm.mem_profilng=0
