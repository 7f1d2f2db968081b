# SPDX-License-Identifier: Apache-2.0
#
# Completion of tally's command line, for fish. tally itself says what fits:
# tool/commands/completion.c.
function __tally_complete
    set -l tokens (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($tokens[1] completion --words $tokens[2..-1] "$current" \
        2>/dev/null)
    set -l kind $lines[1]

    set -e lines[1]
    switch "$kind"
        case files
            printf '%s\n' $lines
            if string match -q -- '--*=*' "$current"
                set -l before (string replace -r '=.*' '=' -- $current)
                __fish_complete_path (string replace -r '^[^=]*=' '' -- $current) |
                    string replace -r '^' -- $before
            else
                __fish_complete_path "$current"
            end
        case 'program *'
            set -l first (string replace 'program ' '' $kind)
            set -l all (string escape -- $tokens) "$current"
            complete -C "$all[$(math $first + 2)..-1]"
        case '*'
            printf '%s\n' $lines
    end
end
complete -c tally -f -k -a '(__tally_complete)'
