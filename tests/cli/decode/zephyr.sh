# SPDX-License-Identifier: Apache-2.0
# Everything that Zephyr traces in one stream: no event of memory is lost or
# made up, threads have the names that their events say, and report and export
# see it.
for layout in 1 2 3 4; do
    for seed in 1 2 3 4 5; do
        "$PYTHON" "$CASE_DIR/../make_zephyr.py" --layout=$layout --seed=$seed mixed
        tally decode mixed > events
        awk -v layout=$layout '{ used = $5; sub("B", "", used)
            if (used + 0 != 16 * (NR - 1) % 4096) bad++ }
            END { print "layout " layout ": " NR " events, " bad + 0 " others" }' events
    done
    tally report mixed | sed -n '1p;3,7p'
    tally export --to text mixed | wc -l
done
echo "damaged:"
"$PYTHON" "$CASE_DIR/../make_zephyr.py" mixed
{ head -c 50000 mixed; tail -c +50020 mixed; } > damaged
tally decode damaged 2> told > events
[ "$(wc -l < events)" -ge 2998 ] && wc -l < told
