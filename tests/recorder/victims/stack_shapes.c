/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_shapes.c - different stacks that look alike, in one thread
 *
 * They have the same innermost call, the same stack pointer, and the same words
 * in most slots.
 */
#include <setjmp.h>

#include "tests/recorder/victims/stacks.h"

/* Call block() where the stack pointer is `wanted`, from a frame as large as
   needed. */
static FRAME void below(const char *wanted)
{
    volatile char *room = alloca((size_t)(STACK_POINTER() - wanted));

    room[0] = 1;
    block();
    AND_BACK();
}

static FRAME void between(const char *wanted)
{
    below(wanted);
    AND_BACK();
}

static FRAME void either(void (*function)(const char *), const char *wanted)
{
    function(wanted);
    AND_BACK();
}

/* The stacks differ in the frame pointer alone, which is in a register. */
static FRAME void shape_alloca(void)
{
    const char *wanted = STACK_POINTER() - 4096;

    for (int i = 0; i < ROUNDS; i++) {
        either(below, wanted);
        either(between, wanted);
    }
    say_stack(ROUNDS, "block below either shape_alloca main");
    say_stack(ROUNDS, "block below between either shape_alloca main");
}

/* Save the frame pointer of the caller in this frame. */
static FRAME void saver(size_t size)
{
    volatile char *room = alloca(size);

    room[0] = 1;
    block();
    AND_BACK();
}

static FRAME void saved_below(const char *wanted)
{
    volatile char *room = alloca((size_t)(STACK_POINTER() - wanted));

    room[0] = 1;
    saver(32);
    AND_BACK();
}

static FRAME void saved_between(const char *wanted)
{
    saved_below(wanted);
    AND_BACK();
}

/* The stacks differ in the frame pointer alone, saved by a frame in between. */
static FRAME void shape_saved(void)
{
    const char *wanted = STACK_POINTER() - 4096;

    for (int i = 0; i < ROUNDS; i++) {
        either(saved_below, wanted);
        either(saved_between, wanted);
    }
    say_stack(ROUNDS, "block saver saved_below either shape_saved main");
    say_stack(ROUNDS,
              "block saver saved_below saved_between either shape_saved main");
}

static volatile int which;

static FRAME void common(void)
{
    block();
    AND_BACK();
}

static FRAME void first(void)
{
    which = 1;
    common();
    AND_BACK();
}

static FRAME void second(void)
{
    which = 2;
    common();
    AND_BACK();
}

static FRAME void shape_callers(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        first();
        second();
        second();
    }
    say_stack(ROUNDS, "block common first shape_callers main");
    say_stack(2 * ROUNDS, "block common second shape_callers main");
}

static FRAME void recurse(int deep)
{
    if (deep == 0)
        block();
    else
        recurse(deep - 1);
    AND_BACK();
}

/* A frame with stale words: return addresses of earlier calls. */
static FRAME void hollow(void)
{
    volatile char room[2048];

    room[0] = 1;
    (void)room[0];
    block();
    AND_BACK();
}

static void say_recursion(unsigned count, int deep, const char *outer)
{
    victim_say("stack ");
    say_number(count);
    victim_say(" block");
    for (int i = 0; i <= deep; i++)
        victim_say(" recurse");
    victim_say(outer);
}

static FRAME void shape_stale(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        recurse(i % 10);
        hollow();
    }
    for (int deep = 0; deep < 10; deep++)
        say_recursion(ROUNDS / 10, deep, " shape_stale main\n");
    say_stack(ROUNDS, "block hollow shape_stale main");
}

static FRAME void shape_recursion(void)
{
    for (int i = 0; i < 3; i++)
        recurse(5000);
    recurse(4999);
    say_recursion(3, 5000, " shape_recursion main\n");
    say_recursion(1, 4999, " shape_recursion main\n");
}

static jmp_buf back;

static FRAME void jumps(int deep)
{
    if (deep > 0)
        jumps(deep - 1);
    block();
    if (deep == 0)
        longjmp(back, 1);
}

static FRAME void shape_longjmp(void)
{
    for (volatile int i = 0; i < ROUNDS; i++) {
        if (setjmp(back) == 0)
            jumps(3);
        common();
    }
    say_stack(ROUNDS, "block jumps jumps jumps jumps shape_longjmp main");
    say_stack(ROUNDS, "block common shape_longjmp main");
}

/* A function without a frame. */
void tail(void);
__asm__(".text\n"
        ".globl tail\n"
        ".type tail, @function\n"
        "tail:\n"
        ".cfi_startproc\n"
        "movq block_pointer(%rip), %rax\n"
        "jmp *%rax\n"
        ".cfi_endproc\n"
        ".size tail, . - tail\n");

extern void (*block_pointer)(void);
void (*block_pointer)(void) = block;

static FRAME void tails(void)
{
    tail();
    AND_BACK();
}

static FRAME void shape_tail(void)
{
    for (int i = 0; i < ROUNDS; i++)
        tails();
    say_stack(ROUNDS, "block tails shape_tail main");
}

/* Make two frames like an interpreter: a frame, and by a jump another within
   it, on a word that is no return address. Neither has unwind information. */
void interpret(void);
__asm__(".text\n"
        ".globl interpret\n"
        ".type interpret, @function\n"
        "interpret:\n"
        "pushq %rbp\n"
        "movq %rsp, %rbp\n"
        "jmp next_piece\n"
        ".size interpret, . - interpret\n"
        ".type next_piece, @function\n"
        "next_piece:\n"
        "pushq $3\n"
        "pushq %rbp\n"
        "movq %rsp, %rbp\n"
        "andq $-16, %rsp\n"
        "movq block_pointer(%rip), %rax\n"
        "call *%rax\n"
        "movq %rbp, %rsp\n"
        "popq %rbp\n"
        "popq %rax\n"
        "popq %rbp\n"
        "ret\n"
        ".size next_piece, . - next_piece\n");

static FRAME void interprets(void)
{
    interpret();
    AND_BACK();
}

static FRAME void shape_within(void)
{
    for (int i = 0; i < ROUNDS; i++)
        interprets();
    say_stack(ROUNDS, "block next_piece interprets shape_within main");
}

enum { TURNS = 5, WAYS = 1 << TURNS };

static FRAME void turn(unsigned way, int deep);

static FRAME void left(unsigned way, int deep)
{
    turn(way, deep);
    AND_BACK();
}

static FRAME void right(unsigned way, int deep)
{
    turn(way, deep);
    AND_BACK();
}

static FRAME void turn(unsigned way, int deep)
{
    if (deep == 0)
        block();
    else if ((way & 1) == 0)
        left(way / 2, deep - 1);
    else
        right(way / 2, deep - 1);
    AND_BACK();
}

/* Branching recursion: each stack differs from all others in one word or more,
   and follows another one each time. */
static FRAME void shape_turns(void)
{
    for (unsigned i = 0; i < ROUNDS * WAYS; i++)
        turn((i * 11 + i / WAYS * (i / WAYS)) % WAYS, TURNS);
    for (unsigned way = 0; way < WAYS; way++) {
        victim_say("stack ");
        say_number(ROUNDS);
        victim_say(" block");
        for (int i = TURNS; i-- > 0;)
            victim_say((way >> i & 1) == 0 ? " turn left" : " turn right");
        victim_say(" turn shape_turns main\n");
    }
}

/* Leave words in each frame that look like return addresses of other calls. */
static FRAME void littered(int deep, unsigned litter)
{
    volatile uintptr_t room[16];

    for (unsigned i = 0; i < sizeof room / sizeof *room; i++)
        room[i] = (uintptr_t)left + (litter * i * 7) % 61;
    if (deep == 0)
        block();
    else
        littered(deep - 1, litter + (unsigned)(room[deep] % 5));
    AND_BACK();
}

static FRAME void one_end(unsigned litter)
{
    littered(12, litter);
    AND_BACK();
}

static FRAME void other_end(unsigned litter)
{
    littered(12, litter);
    AND_BACK();
}

/* The stacks differ in the outermost word alone, and in all that no walk
   reads. */
static FRAME void shape_ends(void)
{
    for (unsigned i = 0; i < 3 * ROUNDS; i++)
        (i % 3 == 0 ? one_end : other_end)(i);
    for (unsigned i = 0; i < 2; i++) {
        victim_say("stack ");
        say_number((i + 1) * ROUNDS);
        victim_say(" block");
        for (int deep = 0; deep <= 12; deep++)
            victim_say(" littered");
        victim_say(i == 0 ? " one_end" : " other_end");
        victim_say(" shape_ends main\n");
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } shapes[] = {
        { "alloca", shape_alloca },       { "saved", shape_saved },
        { "callers", shape_callers },     { "stale", shape_stale },
        { "recursion", shape_recursion }, { "longjmp", shape_longjmp },
        { "tail", shape_tail },           { "within", shape_within },
        { "turns", shape_turns },         { "ends", shape_ends },
    };

    for (size_t i = 0; argc == 2 && i < sizeof shapes / sizeof *shapes; i++) {
        if (strcmp(argv[1], shapes[i].name) == 0)
            shapes[i].run();
    }
    return 0;
}
