# SPDX-License-Identifier: Apache-2.0
# The title alone makes no log; rows do, also where the title is gone.
for text in 'Memory allocations:\n' 'Memory allocations:\nprose\n' \
    'Memory allocations (profiling is currently turned off):\n'; do
    printf "$text" >log
    tally report log
    echo $?
    tally allocinfo log
    echo $?
done
printf '[ 1.0]  1.00 KiB 1 a.c:1 func:f\n[ 1.1] Memory allocations:\nprose\n' >log
tally allocinfo log
