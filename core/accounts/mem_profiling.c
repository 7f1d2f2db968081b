/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling.c - choose, apply and switch the profiling setting
 *
 * Until the setting takes effect, tally_mem_profiling points to a word with the
 * value 1, so that the first hooked call reaches this code. Afterwards it
 * points to the engine's word, which others may write, or to a word that stays
 * 0.
 */
#include "core/accounts/mem_profiling.h"

#include <stddef.h>

#include "core/accounts/engine.h"
#include "core/base/console_line.h"
#include "format/ledger/ledger_layout.h"
#include "format/text/mem_profiling_parameter.h"
#include "tally/port.h"

#define ENVIRONMENT "TALLY_SYSCTL"

enum state { UNDECIDED, DECIDING, OPEN, ENDED };

static const uint32_t word_before = LEDGER_CONTROL_ON;
static const uint32_t word_never = LEDGER_CONTROL_OFF;

const uint32_t *tally_mem_profiling = &word_before;
uint32_t tally_mem_profiling_frees;
uint32_t tally_mem_profiling_hooks = 1;

static uint32_t state; /* enum state */
static bool has_asked_environment;
static bool is_chosen; /* by the program or the environment, not by the build */
static struct mem_profiling_parameter chosen = {
    .control =
        TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) &&
                TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_ENABLED_BY_DEFAULT)
            ? LEDGER_CONTROL_ON
            : LEDGER_CONTROL_NEVER,
};

static enum state current_state(void)
{
    return (enum state)__atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

static void ask_environment(void)
{
    const char *value;
    struct console_line line;

    if (!TALLY_HAS(OS) || has_asked_environment)
        return; /* firmware has no environment */
    has_asked_environment = true;
    value = tally_port_environment(ENVIRONMENT);
    if (value == NULL)
        return;
    if (mem_profiling_parameter_read(value, &chosen)) {
        is_chosen = true;
        return;
    }
    line = console_line(ENVIRONMENT "='");
    console_line_add(&line, value);
    console_line_add(&line, "': not sysctl.vm.mem_profiling={0|1|never}"
                            "[,compressed]; it changes nothing");
    console_line_say(&line);
}

static void end_for_good(void)
{
    __atomic_store_n(&tally_mem_profiling, &word_never, __ATOMIC_RELEASE);
    __atomic_store_n(&tally_mem_profiling_hooks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&state, ENDED, __ATOMIC_RELEASE);
}

#if TALLY_HAS(OS)
static void (*enter[MEM_PROFILING_KINDS])(void);
static bool was_opened;

void mem_profiling_at_opening(enum mem_profiling_kind kind,
                              void (*enter_all)(void))
{
    enter[kind] = enter_all;
}

bool mem_profiling_was_opened(void)
{
    return was_opened;
}

static void enter_all(void)
{
    was_opened = true;
    for (unsigned i = 0; i < MEM_PROFILING_KINDS; i++) {
        if (enter[i] != NULL)
            enter[i]();
    }
}
#else
static void enter_all(void)
{
}
#endif

static void make(void)
{
    const uint32_t *word;

    ask_environment();
    if (chosen.control == LEDGER_CONTROL_NEVER && !engine_is_recorded()) {
        end_for_good();
        engine_never();
        return;
    }
    word = engine_open(chosen.control, chosen.is_compressed);
    if (word == NULL) {
        end_for_good();
        console_say("no memory for the accounts; nothing will be recorded");
        return;
    }
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == LEDGER_CONTROL_NEVER) {
        end_for_good();
        return;
    }
    if (__atomic_load_n(word, __ATOMIC_RELAXED) == LEDGER_CONTROL_ON)
        mem_profiling_expect_frees();
    __atomic_store_n(&tally_mem_profiling, word, __ATOMIC_RELEASE);
    __atomic_store_n(&state, OPEN, __ATOMIC_RELEASE);
    enter_all();
}

static bool decide_now(void)
{
    uint32_t key;

    engine_prepare();
    key = tally_port_lock();
    if (current_state() == UNDECIDED) {
        __atomic_store_n(&state, DECIDING, __ATOMIC_RELAXED);
        make();
    }
    tally_port_unlock(key);
    return current_state() >= OPEN;
}

bool mem_profiling_is_decided(void)
{
    return current_state() >= OPEN;
}

bool mem_profiling_decide(void)
{
    return mem_profiling_is_decided() || decide_now();
}

bool mem_profiling_is_open(void)
{
    return current_state() == OPEN;
}

bool mem_profiling_is_available(void)
{
    return mem_profiling_decide() && current_state() == OPEN;
}

void mem_profiling_end(void)
{
    uint32_t key = tally_port_lock();
    bool is_first = current_state() == OPEN;

    if (is_first)
        end_for_good();
    tally_port_unlock(key);
    if (is_first)
        console_say("more tags than compressed references can name; "
                    "memory profiling is off for good");
}

static int choose(const char *setting)
{
    ask_environment();
    if (is_chosen && chosen.control == LEDGER_CONTROL_NEVER)
        return -MEM_PROFILING_EINVAL;
    if (!mem_profiling_parameter_read(setting, &chosen))
        return -MEM_PROFILING_EINVAL;
    is_chosen = true;
    return 0;
}

static int change(const char *setting)
{
    uint32_t control;

    if (current_state() != OPEN ||
        !mem_profiling_parameter_read_switch(setting, &control))
        return -MEM_PROFILING_EINVAL;
    engine_set_control(control);
    return 0;
}

int tally_sysctl(const char *setting)
{
    uint32_t key = tally_port_lock();
    int error =
        current_state() == UNDECIDED ? choose(setting) : change(setting);

    tally_port_unlock(key);
    return error;
}
