# SPDX-License-Identifier: Apache-2.0
# An interval of a live page equals the difference of snapshots at its ends.
# needs: recorder
for program in redis-server redis-benchmark; do
    command -v $program >/dev/null || {
        echo "SKIPPED: no $program; scripts/install-deps test" >&2
        exit 77
    }
done
"$PYTHON" -B "$CASE_DIR/redis.py" "$TALLY"
