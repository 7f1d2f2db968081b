# SPDX-License-Identifier: Apache-2.0
# Completions in fish, with their descriptions.
command -v fish > /dev/null || {
    echo "SKIPPED: no fish; scripts/install-deps test" >&2
    exit 77
}
touch a.tally b.json
mkdir sub
cat > script <<'END'
tally completion fish | source
for line in 'tally rep' 'tally report --so' 'tally report --sort=l' \
        'tally report --sort l' 'tally report --sort live --color=n' \
        'tally report a' 'tally export --output=s' 'tally export -o b' \
        'tally record --quiet ls a.t' 'tally record mkfif' 'tally ctl 1 vm'
    echo "[$line]"
    complete -C $line
end
END
fish --no-config script
