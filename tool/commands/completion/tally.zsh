#compdef tally
# SPDX-License-Identifier: Apache-2.0
#
# Completion of tally's command line, for zsh. tally itself says what fits:
# tool/commands/completion.c.
_tally() {
    local -a lines plain valued
    local line word kind

    lines=("${(@f)$("${(Q)words[1]}" completion --words \
        "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=$lines[1]
    for line in "${(@)lines[2,-1]}"; do
        word=${${line%%$'\t'*}//:/\\:}
        [[ $line == *$'\t'* ]] && word+=":${line#*$'\t'}"
        if [[ ${line%%$'\t'*} == --*= ]]; then
            valued+=("$word")
        else
            plain+=("$word")
        fi
    done
    if [[ $kind == program* ]]; then
        shift $((${kind#program } + 1)) words
        ((CURRENT -= ${kind#program } + 1))
        _normal
        return
    fi
    (($#plain)) && _describe -t values 'tally' plain
    (($#valued)) && _describe -t options 'option' valued -S ''
    if [[ $kind == files ]]; then
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _files
    fi
}
if [[ $funcstack[1] == _tally ]]; then
    _tally "$@" # loaded by its name, at the first Tab
else
    compdef _tally tally
fi
