# SPDX-License-Identifier: Apache-2.0
# Time and memory are bounded by what a file holds: a directory that names one
# segment 34,685 times, and 4 GiB that are a hole.
for what in repeated notices sparse; do
    "$PYTHON" "$CASE_DIR/hostile.py" "$what.tally" "$what"
    for command in report "report --json" "export --to=folded" allocinfo \
        "diff $what.tally"; do
        "$PYTHON" - $command "$what.tally" <<'END'
import resource, subprocess, sys
done = subprocess.run(["tally", *sys.argv[1:]], stdout=subprocess.DEVNULL)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(done.returncode, "much memory" if most > 300000 else "little memory")
END
    done
done
rm sparse.tally
