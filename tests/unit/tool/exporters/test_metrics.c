/* SPDX-License-Identifier: Apache-2.0 */
/* test_metrics.c - the text of figures, and the sites in it */
#include "tool/exporters/exporter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *text_of(const struct metrics *metrics, enum metrics_form form)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    metrics_write(metrics, form, out);
    fclose(out);
    return text;
}

static void each_form_has_its_own_heads(void **state)
{
    struct metrics metrics = { 0 };
    char *text;

    (void)state;
    metrics_add(&metrics, METRICS_freed_bytes, "pid=\"1\"", 9007199254740992.0);
    metrics_add(&metrics, METRICS_programs, "", 2);
    metrics_add(&metrics, METRICS_program, "pid=\"1\"", 1);
    metrics_add(&metrics, METRICS_freed_bytes, "pid=\"2\"", 0.5);
    text = text_of(&metrics, METRICS_OPEN);
    assert_string_equal(
        text, "# HELP tally_programs Recorded programs that are running.\n"
              "# TYPE tally_programs gauge\n"
              "tally_programs 2\n"
              "# HELP tally_program Build of a program, and its accuracy: "
              "exact or estimates.\n"
              "# TYPE tally_program info\n"
              "tally_program_info{pid=\"1\"} 1\n"
              "# HELP tally_freed_bytes Bytes freed in total.\n"
              "# TYPE tally_freed_bytes counter\n"
              "# UNIT tally_freed_bytes bytes\n"
              "tally_freed_bytes_total{pid=\"1\"} 9007199254740992\n"
              "tally_freed_bytes_total{pid=\"2\"} 0.500\n"
              "# EOF\n");
    free(text);
    text = text_of(&metrics, METRICS_PROMETHEUS);
    assert_non_null(strstr(text, "# TYPE tally_program_info gauge\n"));
    assert_non_null(strstr(text, "# TYPE tally_freed_bytes_total counter\n"));
    assert_null(strstr(text, "# UNIT"));
    assert_null(strstr(text, "# EOF"));
    free(text);
    metrics_free(&metrics);
    assert_non_null(strstr(metrics_type(METRICS_OPEN), "openmetrics"));
    assert_non_null(strstr(metrics_type(METRICS_PROMETHEUS), "version=0.0.4"));
}

enum { SITES = 4 };

static struct profile *make_profile(void)
{
    static const uint64_t sizes[SITES] = { 30, 100, 7, 20 };
    struct profile *profile = profile_create();
    struct profile_image image = { .pid = 5,
                                   .start_ns = 1500000000,
                                   .program = (char *)(uintptr_t) "/a/\"b\\",
                                   .command_line = (char *)(uintptr_t) "" };

    profile_add_image(profile, &image);
    for (size_t i = 0; i < SITES; i++)
        profile_add_site(profile, &(struct profile_site){
                                      .place = i + 1,
                                      .kind = LEDGER_SITE_HEAP,
                                      .module = PROFILE_NO_MODULE,
                                      .amounts = { .alloc_blocks = 2,
                                                   .alloc_bytes = 2 * sizes[i],
                                                   .free_blocks = 1,
                                                   .free_bytes = sizes[i] } });
    profile_finish(profile);
    profile->sampling = (struct ledger_sampling){ .budget = 10000,
                                                  .cost_ns = 2500000000,
                                                  .capacity_ns = 250000000000 };
    return profile;
}

static void sites_of_one_name_are_one_and_the_rest_is_other(void **state)
{
    static struct site_name called[SITES] = {
        { .function = "one", .line = 1, .module = "/lib/a.so" },
        { .function = "big\n\"\xff", .line = 1 },
        { .function = NULL },
        { .function = "one", .line = 2, .module = "/usr/lib/a.so" },
    };
    static const char *const lines[] = {
        "tally_program_start_time_seconds{pid=\"5\",service=\"\\\"b\\\\\"} "
        "1.500\n",
        "tally_sampling_cpu_seconds_total{pid=\"5\",service=\"\\\"b\\\\\"} "
        "2.500\n",
        "tally_sampling_capacity_seconds_total{pid=\"5\",service=\"\\\"b\\\\"
        "\"} 250\n",
        "tally_live_bytes{pid=\"5\",service=\"\\\"b\\\\\",kind=\"heap\"} "
        "157\n",
        "kind=\"heap\",module=\"\",site=\"big?\\\"?\"} 100\n",
        "kind=\"heap\",module=\"a.so\",site=\"one\"} 50\n",
        "tally_site_allocated_bytes_total{pid=\"5\",service=\"\\\"b\\\\\",kind="
        "\"heap\",module=\"a.so\",site=\"one\"} 100\n",
        "tally_site_live_blocks{pid=\"5\",service=\"\\\"b\\\\\",kind=\"heap\","
        "module=\"\",site=\"other\"} 1\n",
        "kind=\"heap\",module=\"\",site=\"other\"} 7\n",
        "kind=\"maps\",module=\"\",site=\"other\"} 0\n",
        "what=\"lost_sites\"} 0\n",
    };
    const struct site_names names = { .sites = called };
    struct profile *profile = make_profile();
    struct metrics metrics = { 0 };
    char *text;

    (void)state;
    metrics_take(&metrics, profile, &names, 2);
    text = text_of(&metrics, METRICS_OPEN);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (strstr(text, lines[i]) == NULL)
            fail_msg("no %s in %s", lines[i], text);
    }
    assert_null(strstr(text, "site=\"0x3\""));
    assert_null(strstr(strstr(text, "# HELP tally_site_allocated"), "other"));
    free(text);
    metrics_free(&metrics);
    metrics_take(&metrics, profile, &names, 3);
    text = text_of(&metrics, METRICS_OPEN);
    assert_non_null(strstr(text, "site=\"0x3\"} 7\n"));
    assert_non_null(
        strstr(text, "kind=\"heap\",module=\"\",site=\"other\"} 0"));
    free(text);
    metrics_free(&metrics);
    profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_has_its_own_heads),
        cmocka_unit_test(sites_of_one_name_are_one_and_the_rest_is_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
