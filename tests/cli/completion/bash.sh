# SPDX-License-Identifier: Apache-2.0
# Completions in bash, which ends words at "=".
touch a.tally b.json
mkdir sub
cat > script <<'END'
eval "$(tally completion bash)"
try() {
    COMP_WORDS=(tally "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _tally tally
    echo "[$*]" "${COMPREPLY[@]}"
}
try re
try report --so
try report --sort = l
try report --sort =
try report --sort = ""
try report --sort lo
try report --sort = live --color = n
try report a
try export -o ""
try export --output = s
try ctl 1 vm
try record --stacks = all ls a
try record mkfif
complete -p tally
END
bash --norc script
