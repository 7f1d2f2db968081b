/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_executable.c - executables built by hand, and those of this machine
 *
 * Files are created in a new directory, under TMPDIR or /tmp.
 *
 * This file is long because each form of executable has a case.
 */
#include "recorder/process/executable.h"
#include "tests/fakes/skip.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { HEADERS = 4, ENTRIES = 4, OTHER_USER = 1 };

/* An ELF file: its header, program headers, a dynamic section, and names. */
struct image {
    ElfW(Ehdr) elf;
    ElfW(Phdr) headers[HEADERS];
    ElfW(Dyn) dynamic[ENTRIES];
    char names[64];
};

static char folder[200];
static char path[256];
static char script[256];

static int make_folder(void **state)
{
    const char *temporary = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%s/tally-executable-XXXXXX",
             temporary == NULL ? "/tmp" : temporary);
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/program", folder);
    snprintf(script, sizeof script, "%s/script", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(script);
    return rmdir(folder);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    int fd;

    unlink(name);
    fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(close(fd), 0);
}

/* A program with headers of these types; 0: none. */
static struct image image_of(uint32_t first, uint32_t second, uint32_t third)
{
    struct image image = { 0 };

    memcpy(image.elf.e_ident, ELFMAG, SELFMAG);
    image.elf.e_ident[EI_CLASS] = ELFCLASS64;
    image.elf.e_ident[EI_DATA] = ELFDATA2LSB;
    image.elf.e_type = ET_DYN;
    image.elf.e_machine = EM_X86_64;
    image.elf.e_phoff = offsetof(struct image, headers);
    image.elf.e_phentsize = sizeof image.headers[0];
    image.elf.e_phnum = 3;
    image.headers[0].p_type = first;
    image.headers[1].p_type = second;
    image.headers[2].p_type = third;
    for (unsigned i = 0; i < 3; i++) {
        image.headers[i].p_offset = offsetof(struct image, dynamic);
        image.headers[i].p_filesz = sizeof image.dynamic;
    }
    return image;
}

static void assert_image_is(const struct image *image,
                            enum executable_kind expected)
{
    write_file(path, image, sizeof *image);
    assert_int_equal(executable_kind_of(path), expected);
}

static void a_program_with_a_loader_is_dynamic(void **state)
{
    struct image first = image_of(PT_INTERP, PT_LOAD, PT_LOAD);
    struct image last = image_of(PT_PHDR, PT_LOAD, PT_INTERP);

    (void)state;
    assert_image_is(&first, EXECUTABLE_DYNAMIC);
    assert_image_is(&last, EXECUTABLE_DYNAMIC);
}

static void a_program_without_a_loader_is_static(void **state)
{
    struct image image = image_of(PT_LOAD, PT_LOAD, PT_LOAD);

    (void)state;
    assert_image_is(&image, EXECUTABLE_STATIC);
    image.elf.e_type = ET_EXEC;
    assert_image_is(&image, EXECUTABLE_STATIC);
    image.headers[3].p_type = PT_INTERP; /* beyond e_phnum: not a header */
    assert_image_is(&image, EXECUTABLE_STATIC);
}

/* Both have a dynamic section; the loader has a name in it. */
static void a_static_pie_is_static_and_the_loader_is_not(void **state)
{
    struct image image = image_of(PT_LOAD, PT_DYNAMIC, PT_LOAD);

    (void)state;
    image.dynamic[0].d_tag = DT_HASH;
    assert_image_is(&image, EXECUTABLE_STATIC);
    image.dynamic[1].d_tag = DT_SONAME;
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
    image.dynamic[0].d_tag = DT_NULL; /* the section ends there */
    assert_image_is(&image, EXECUTABLE_STATIC);
}

/* Two libraries are needed; the file equals its memory. */
static struct image image_of_libraries(const char *first, const char *second)
{
    struct image image = image_of(PT_INTERP, PT_LOAD, PT_DYNAMIC);

    image.headers[1].p_offset = 0;
    image.headers[1].p_filesz = sizeof image;
    image.dynamic[0].d_tag = DT_NEEDED;
    image.dynamic[0].d_un.d_val = 0;
    image.dynamic[1].d_tag = DT_STRTAB;
    image.dynamic[1].d_un.d_ptr = offsetof(struct image, names);
    image.dynamic[2].d_tag = DT_NEEDED;
    image.dynamic[2].d_un.d_val = 32;
    strcpy(image.names, first);
    strcpy(image.names + 32, second);
    return image;
}

static void a_sanitizers_runtime_is_found_wherever_it_stands(void **state)
{
    static const char *const runtimes[] = {
        "libasan.so.8", "libclang_rt.asan-x86_64.so", "libhwasan.so.0",
        "liblsan.so.0", "libclang_rt.tsan-x86_64.so", "libtsan.so.2",
    };
    static const char *const others[] = { "libubsan.so.1", "libasan2.so", "" };
    struct image image;

    (void)state;
    for (unsigned i = 0; i < sizeof runtimes / sizeof runtimes[0]; i++) {
        image = image_of_libraries(runtimes[i], "libc.so.6");
        assert_image_is(&image, EXECUTABLE_SANITIZED);
        image = image_of_libraries("libc.so.6", runtimes[i]);
        assert_image_is(&image, EXECUTABLE_SANITIZED);
        image.dynamic[1].d_tag = DT_NULL; /* the section ends there */
        assert_image_is(&image, EXECUTABLE_DYNAMIC);
    }
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        image = image_of_libraries(others[i], "libc.so.6");
        assert_image_is(&image, EXECUTABLE_DYNAMIC);
    }
    image = image_of_libraries("libasan.so.8", "libc.so.6");
    image.dynamic[0].d_un.d_val = UINT64_MAX / 2; /* after the end of the
                                                     file */
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
    image.dynamic[1].d_un.d_ptr = UINT64_MAX;
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
}

static void musls_loader_is_foreign_in_any_folder(void **state)
{
    static const char *const loaders[] = { "/lib/ld-musl-x86_64.so.1",
                                           "/opt/musl/ld-musl-x86_64.so.1" };
    struct image image = image_of(PT_INTERP, PT_LOAD, PT_LOAD);

    (void)state;
    image.headers[0].p_offset = offsetof(struct image, names);
    for (unsigned i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        strcpy(image.names, loaders[i]);
        assert_image_is(&image, EXECUTABLE_FOREIGN);
    }
    strcpy(image.names, "/ld-musl/ld-linux.so.2");
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
}

/* The kernel may have an emulator for them. */
static void a_program_for_another_machine_is_foreign(void **state)
{
    struct image image = image_of(PT_LOAD, PT_LOAD, PT_LOAD);

    (void)state;
    image.elf.e_machine = EM_AARCH64;
    assert_image_is(&image, EXECUTABLE_FOREIGN);
    image.elf.e_machine = EM_X86_64;
    image.elf.e_ident[EI_DATA] = ELFDATA2MSB;
    assert_image_is(&image, EXECUTABLE_FOREIGN);
}

static void a_program_of_the_system_is_dynamic(void **state)
{
    (void)state;
    assert_int_equal(executable_kind_of("/bin/ls"), EXECUTABLE_DYNAMIC);
}

static void assert_script_is(const char *line, enum executable_kind expected)
{
    write_file(script, line, strlen(line));
    assert_int_equal(executable_kind_of(script), expected);
}

static void a_script_is_what_its_interpreter_is(void **state)
{
    static const char *const forms[] = { "#!%s\n", "#! \t%s\n", "#!%s -x\n",
                                         "#!%s\t-x\n", "#!%s" };
    struct image without = image_of(PT_LOAD, PT_LOAD, PT_LOAD);
    struct image with = image_of(PT_INTERP, PT_LOAD, PT_LOAD);

    (void)state;
    for (unsigned i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char line[400];

        snprintf(line, sizeof line, forms[i], path);
        write_file(path, &without, sizeof without);
        assert_script_is(line, EXECUTABLE_STATIC);
        write_file(path, &with, sizeof with);
        assert_script_is(line, EXECUTABLE_DYNAMIC);
    }
}

static void a_script_of_a_script_is_followed(void **state)
{
    struct image without = image_of(PT_LOAD, PT_LOAD, PT_LOAD);
    char middle[300];
    char line[400];

    (void)state;
    snprintf(middle, sizeof middle, "%s/middle", folder);
    snprintf(line, sizeof line, "#!%s\n", path);
    write_file(path, &without, sizeof without);
    write_file(middle, line, strlen(line));
    snprintf(line, sizeof line, "#!%s\n", middle);
    write_file(script, line, strlen(line));
    assert_int_equal(executable_kind_of(script), EXECUTABLE_STATIC);

    /* A cycle ends. */
    snprintf(line, sizeof line, "#!%s\n", script);
    write_file(middle, line, strlen(line));
    assert_int_equal(executable_kind_of(script), EXECUTABLE_DYNAMIC);
    unlink(middle);
}

static void there_is_nothing_to_say_of_anything_else(void **state)
{
    struct image image = image_of(PT_LOAD, PT_LOAD, PT_LOAD);

    (void)state;
    assert_int_equal(executable_kind_of("/nonexistent/program"),
                     EXECUTABLE_DYNAMIC);
    assert_int_equal(executable_kind_of(folder), EXECUTABLE_DYNAMIC);
    assert_script_is("#!/nonexistent/interpreter\n", EXECUTABLE_DYNAMIC);
    assert_script_is("#!", EXECUTABLE_DYNAMIC);
    assert_script_is("#!\n", EXECUTABLE_DYNAMIC);
    assert_script_is("echo a script without a first line\n",
                     EXECUTABLE_DYNAMIC);
    assert_script_is("", EXECUTABLE_DYNAMIC);
    write_file(script, &image, sizeof image.elf - 1); /* cut off */
    assert_int_equal(executable_kind_of(script), EXECUTABLE_DYNAMIC);
    image.elf.e_phentsize = sizeof(Elf32_Phdr);
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
}

static void hostile_headers_do_no_harm(void **state)
{
    struct image image = image_of(PT_LOAD, PT_DYNAMIC, PT_LOAD);

    (void)state;
    image.elf.e_phoff = UINT64_MAX - 8;
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
    image = image_of(PT_LOAD, PT_DYNAMIC, PT_LOAD);
    image.elf.e_phnum = UINT16_MAX; /* more than the file has */
    image.headers[1].p_offset = UINT64_MAX;
    image.headers[1].p_filesz = UINT64_MAX;
    assert_image_is(&image, EXECUTABLE_DYNAMIC);
    image.elf.e_phnum = 3;
    assert_image_is(&image, EXECUTABLE_STATIC);
}

/* Return the second number that a new descriptor would get. */
static int second_free_descriptor(void)
{
    int first = dup(STDERR_FILENO);
    int second = dup(STDERR_FILENO);

    assert_true(first >= 0 && second >= 0);
    close(first);
    close(second);
    return second;
}

static void the_file_stays_open_where_it_was_and_errno_too(void **state)
{
    struct image image = image_of(PT_LOAD, PT_LOAD, PT_LOAD);
    char line[400];
    int before, fd;

    (void)state;
    write_file(path, &image, sizeof image);
    snprintf(line, sizeof line, "#!%s\n", path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 7, SEEK_SET), 7);
    errno = 4321;
    assert_int_equal(executable_kind_at(fd), EXECUTABLE_STATIC);
    assert_int_equal(executable_kind_of("/nonexistent/program"),
                     EXECUTABLE_DYNAMIC);
    assert_int_equal(errno, 4321);
    assert_int_equal(lseek(fd, 0, SEEK_CUR), 7);
    close(fd);
    /* no other descriptor is left open */
    write_file(script, line, strlen(line));
    before = second_free_descriptor();
    assert_int_equal(executable_kind_of(script), EXECUTABLE_STATIC);
    assert_int_equal(second_free_descriptor(), before);
}

static void our_own_setuid_program_changes_nothing(void **state)
{
    struct image image = image_of(PT_INTERP, PT_LOAD, PT_LOAD);

    (void)state;
    write_file(path, &image, sizeof image);
    assert_int_equal(chmod(path, 06755), 0);
    assert_int_equal(executable_kind_of(path), EXECUTABLE_DYNAMIC);
}

static void a_setuid_program_of_another_is_privileged(void **state)
{
    struct image image = image_of(PT_INTERP, PT_LOAD, PT_LOAD);
    char line[400];

    (void)state;
    if (geteuid() != 0)
        SKIP("only root can make a file another's; run it as root");
    write_file(path, &image, sizeof image);
    assert_int_equal(chown(path, OTHER_USER, getgid()), 0);
    assert_int_equal(executable_kind_of(path), EXECUTABLE_DYNAMIC);
    assert_int_equal(chmod(path, 04755), 0);
    assert_int_equal(executable_kind_of(path), EXECUTABLE_SETUID);
    snprintf(line, sizeof line, "#!%s\n", path);
    assert_script_is(line, EXECUTABLE_SETUID);

    assert_int_equal(chown(path, getuid(), OTHER_USER), 0);
    assert_int_equal(chmod(path, 02755), 0);
    assert_int_equal(executable_kind_of(path), EXECUTABLE_SETUID);
    assert_int_equal(chmod(path, 02745), 0); /* mandatory locking, once */
    assert_int_equal(executable_kind_of(path), EXECUTABLE_DYNAMIC);

    image = image_of(PT_LOAD, PT_LOAD, PT_LOAD);
    write_file(path, &image, sizeof image);
    assert_int_equal(chown(path, OTHER_USER, getgid()), 0);
    assert_int_equal(chmod(path, 04755), 0);
    assert_int_equal(executable_kind_of(path), EXECUTABLE_STATIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_with_a_loader_is_dynamic),
        cmocka_unit_test(a_program_without_a_loader_is_static),
        cmocka_unit_test(a_static_pie_is_static_and_the_loader_is_not),
        cmocka_unit_test(a_sanitizers_runtime_is_found_wherever_it_stands),
        cmocka_unit_test(musls_loader_is_foreign_in_any_folder),
        cmocka_unit_test(a_program_for_another_machine_is_foreign),
        cmocka_unit_test(a_program_of_the_system_is_dynamic),
        cmocka_unit_test(a_script_is_what_its_interpreter_is),
        cmocka_unit_test(a_script_of_a_script_is_followed),
        cmocka_unit_test(there_is_nothing_to_say_of_anything_else),
        cmocka_unit_test(hostile_headers_do_no_harm),
        cmocka_unit_test(the_file_stays_open_where_it_was_and_errno_too),
        cmocka_unit_test(our_own_setuid_program_changes_nothing),
        cmocka_unit_test(a_setuid_program_of_another_is_privileged),
    };

    return skip_status(
        cmocka_run_group_tests(tests, make_folder, remove_folder));
}
