# SPDX-License-Identifier: Apache-2.0
# needs: recorder
# A program that cannot be recorded is refused before it runs.
echo 'int main(void) { return 0; }' > program.c
cc -static -o static program.c || { echo "SKIPPED: no static libc; scripts/install-deps build" >&2; exit 77; }
cc -static-pie -o static_pie program.c
cc -o setuid program.c && cc -o setgid program.c && chown 65534:65534 setuid setgid ||
    { echo "SKIPPED: only root can make a file of another user; run it as root" >&2; exit 77; }
chmod u+s setuid && chmod g+s setgid
cc -o own_setuid program.c && chmod ug+s own_setuid
tally record -q -o own.tally -- ./own_setuid # which gains nothing
cc -o foreign program.c
cc -fsanitize=address -o asan program.c
cc -fsanitize=thread -o tsan program.c
cc -fsanitize=leak -o lsan program.c
clang -fsanitize=address -shared-libsan -o clang_asan program.c
printf '#!%s/lsan\n' "$PWD" > by_lsan && chmod +x by_lsan
printf '\267' | dd of=foreign bs=1 seek=18 conv=notrunc 2> /dev/null
cp foreign narrow
printf '\001' | dd of=narrow bs=1 seek=4 conv=notrunc 2> /dev/null
printf '\177ELF and no more' > damaged && chmod +x damaged
printf '#!%s/static\n' "$PWD" > by_static && chmod +x by_static
printf '#!%s/by_static -x\n' "$PWD" > by_script && chmod +x by_script
printf '#!/no/such/shell\n' > by_nobody && chmod +x by_nobody
mkdir folder
cp program.c not_executable
"$PYTHON" - <<'END'
# The loader's name is in the file: musl's is as long as glibc's.
data = open("setuid", "rb").read()
glibc = b"/lib64/ld-linux-x86-64.so.2\0"
musl = b"/lib/ld-musl-x86_64.so.1\0".ljust(len(glibc), b"\0")
assert data.count(glibc) == 1
open("musl", "wb").write(data.replace(glibc, musl))
END
chmod +x musl
for program in static static_pie setuid setgid foreign narrow asan tsan lsan clang_asan damaged musl \
    by_static by_script by_lsan by_nobody folder not_executable missing; do
    tally record -o "$program.tally" -- "./$program" 2>&1 |
        sed "s:$PWD:HERE:g"
done
tally record -- no_such_program; echo $?
tally record -- ''; echo $?
tally record -o x.tally -- ./static 2> /dev/null; echo $?
ls *.tally 2> /dev/null
exit 0
