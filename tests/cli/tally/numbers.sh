# SPDX-License-Identifier: Apache-2.0
# A number is that of a process where one may be named; else a file's name.
echo mine > 999999999
try() {
    tally "$@"
    echo "$*: $?"
}
try report 888888888
try report 0
try report 999999999
try diff 888888888 x
try export --to svg 888888888
try top 888888888
try snapshot 888888888
try snapshot x
try ctl vm.mem_profiling=0 888888888
try decode 888888888
try capture 888888888 -o out
try report 88888888888
try record 888888888
