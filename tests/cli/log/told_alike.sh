# SPDX-License-Identifier: Apache-2.0
# Each command says how rows of a log are incomplete: some are missing, and
# sizes are rounded. Such rows are marked inaccurate.
cat >log <<'END'
Memory allocations:
     1.00 MiB     2816 mm/slub.c:3061 func:alloc_slab_page
     4.05 KiB        3 fs/a.c:7 [ext4] func:f
END
tally report log
tally report --json log >json
$PYTHON -c '
import json
told = json.load(open("json"))
print([site["accurate"] for site in told["sites"]], told["inaccurate_sites"])
print(*told["allocinfo_notes"], sep="\n")'
for command in allocinfo "allocinfo --sum" "allocinfo --inaccurate" \
    "top -n 1" "diff log" "export --to folded"; do
    echo "$command"
    tally $command log 2>&1
done
tally export --to pprof log 2>&1 >pprof
gzip -dc pprof | grep -ao 'a kernel.s log has [ -~]*1 %'
