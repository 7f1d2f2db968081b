# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A copy of a trace of samples says that it is one, however it was copied.
tally record -q -o a.tally --stacks=sampled --interval=4K --events=calls -- \
    "$PYTHON" -S -c 'x = [bytes(3000) for i in range(1000)]'
grep sample_interval calls/metadata
tally export --to ctf -o copy calls
grep sample_interval copy/metadata
tally report copy | grep sampled
