# SPDX-License-Identifier: Apache-2.0
for option in --bogus -x -o --follow=some --stacks=every --sysctl=1 \
    --sysctl=vm.mem_profiling=2 --sysctl=vm.mem_profiling=1,foo \
    --sysctl=vm.mem_profiling= --output; do
    tally record $option
    echo "$option: $?"
done
TALLY_SYSCTL=nonsense tally record -- /bin/echo no
echo "TALLY_SYSCTL: $?"
tally record
echo "nothing: $?"
for options in --interval=0 --interval=5X --interval=2000G --interval=17179869185G --rate=0 --rate=2 \
    --rate=x --seed=-1 --interval=1K "--stacks=all --rate=1" --snapshot-every=99ms --snapshot-every=5124095h \
    --blackbox=1023K --blackbox=65537K --blackbox=1T --blackbox=64M; do
    tally record $options -- /bin/echo no
    echo "$options: $?"
done
long=$(printf '%0200d/' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
mkdir -p "$long"
cp /bin/true a_program
for folder in nowhere a_program "$long"; do
    tally record --keep=$folder -- /bin/echo no
    echo "--keep: $?"
done
# No option takes the -- before the program for its value.
for options in --trace -o -qo --keep; do
    tally record $options -- true
    echo "$options --: $?"
done
ls -d -- -* true.* 2>/dev/null
for options in "-p 1 true" "--pid=x" "-p 4194305" "-p 1 --wait=all" \
    "--pid=1 --enforce"; do
    tally record $options
    echo "$options: $?"
done
