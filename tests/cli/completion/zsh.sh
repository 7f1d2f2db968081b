# SPDX-License-Identifier: Apache-2.0
# Completions in zsh: its line before and after Tab.
command -v zsh > /dev/null || {
    echo "SKIPPED: no zsh; scripts/install-deps test" >&2
    exit 77
}
touch a.tally b.json
mkdir sub functions
tally completion zsh > functions/_tally
cat > lines <<'END'
tally rep
tally report --sor
tally report --sort=tem
tally report --sort tem
tally report --kind=heap,
tally export --output=a.ta
tally export -o a.ta
tally report --nosuch
tally report a.ta
tally record --quiet ls su
tally record -- mkfif
tally ctl 1 mem
END
cat > setup <<'END'
autoload -U compinit
fpath=($PWD/functions $fpath)
compinit -D -u
complete_lines() {
    local line
    for line in "${(@f)$(<lines)}"; do
        BUFFER=$line
        CURSOR=$#BUFFER
        zle complete-word
        print -r -- "[$line] [$BUFFER]" >>completed
    done
    BUFFER=
    : >done
}
zle -N complete_lines
bindkey '^X' complete_lines
END
cat > script <<'END'
zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell '. ./setup'
zpty -w -n shell $'\x18'
for i in {1..300}; do
    [[ -e done ]] && break
    zpty -r -t shell shown || sleep 0.1
done
END
TERM=dumb zsh -f script
cat completed
