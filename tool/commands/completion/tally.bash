# SPDX-License-Identifier: Apache-2.0
#
# Completion of tally's command line, for bash. tally itself says what fits:
# tool/commands/completion.c.
_tally() {
    local -a words=() lines=()
    local -a places=()
    local count=0 i word current kind

    # bash ends words at "=", and we do not.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((count > 0)) && [[ $word == = ||
            (${COMP_WORDS[i - 1]} == = && ${words[count - 1]} == --*=) ]]; then
            words[count - 1]+=$word
        else
            places[count]=$i
            words[count++]=$word
        fi
    done
    current=${words[count - 1]}
    mapfile -t lines < <("$1" completion --words "${words[@]}" 2>/dev/null)
    kind=${lines[0]}
    lines=("${lines[@]:1}")
    lines=("${lines[@]%%$'\t'*}")
    if [[ $current == --*=* ]]; then # bash puts in what is behind the "="
        lines=("${lines[@]#"${current%%=*}="}")
        current=${current#*=}
    fi
    COMPREPLY=("${lines[@]}")
    case $kind in
    files)
        compopt -o filenames 2>/dev/null
        mapfile -t lines < <(compgen -f -- "$current")
        COMPREPLY+=("${lines[@]}")
        ;;
    program*)
        i=${kind#program }
        if declare -F _command_offset >/dev/null; then
            _command_offset "${places[i]}"
        elif ((i == count - 1)); then
            mapfile -t COMPREPLY < <(compgen -c -- "$current" | sort -u)
        else
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    *)
        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
            compopt -o nospace 2>/dev/null
        fi
        ;;
    esac
}
complete -F _tally tally
