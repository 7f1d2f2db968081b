/* SPDX-License-Identifier: Apache-2.0 */
/* displaced.c - move instructions by Zydis; see patch.h */
#include "tool/patch/patch.h"

#include <string.h>

#include <Zydis/Zydis.h>

enum { LANDING_PAD = 4, LONG_CONDITION = 6 };

struct instruction {
    ZydisDecodedInstruction decoded;
    uint64_t address;
    uint64_t next;
    uint64_t target; /* target of a jump, a call or the operand; 0: none */
};

static bool decode(struct instruction *instruction, const uint8_t *bytes,
                   size_t size, uint64_t address)
{
    ZydisDecoder decoder;
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    int64_t away = 0;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                     ZYDIS_STACK_WIDTH_64);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size,
                                                    &instruction->decoded)))
        return false;
    instruction->address = address;
    instruction->next = address + decoded->length;
    instruction->target = 0;
    if ((decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE) == 0)
        return true;
    if (decoded->raw.imm[0].is_relative)
        away = decoded->raw.imm[0].value.s;
    else
        away = decoded->raw.disp.value;
    instruction->target = instruction->next + (uint64_t)away;
    return true;
}

static bool is_jump(const struct instruction *instruction)
{
    return instruction->decoded.raw.imm[0].is_relative;
}

static bool write_offset(uint8_t *bytes, uint64_t next, uint64_t target)
{
    int64_t away = (int64_t)(target - next);
    int32_t narrow = (int32_t)away;

    memcpy(bytes, &narrow, sizeof narrow);
    return narrow == away;
}

void displaced_write_jump(uint8_t *bytes, uint64_t from, uint64_t to)
{
    bytes[0] = PATCH_JUMP_CODE;
    (void)write_offset(bytes + 1, from + DISPLACED_JUMP, to);
}

static const char *lead_to(struct displaced *displaced, size_t at,
                           uint64_t next, uint64_t target)
{
    displaced->offsets[displaced->offset_count++] = (uint8_t)at;
    return write_offset(displaced->code + at, next, target)
               ? NULL
               : "leads too far away";
}

/* Write a jump of any size as one of 32 bits. */
static const char *move_jump(struct displaced *displaced,
                             const struct instruction *jump, uint64_t to)
{
    uint8_t *code = displaced->code + displaced->size;
    size_t length = DISPLACED_JUMP;

    switch (jump->decoded.meta.category) {
    case ZYDIS_CATEGORY_UNCOND_BR:
        code[0] = 0xe9;
        break;
    case ZYDIS_CATEGORY_COND_BR:
        /* loop and jrcxz have no 32-bit form. */
        if (jump->decoded.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
            (jump->decoded.opcode & 0xf0) != 0x70)
            return "begins with a loop";
        code[0] = 0x0f;
        code[1] = (uint8_t)(0x80 | (jump->decoded.opcode & 0x0f));
        length = LONG_CONDITION;
        break;
    default: /* a moved call would push an address of the moved code */
        return "begins with a call";
    }
    displaced->size += length;
    return lead_to(displaced, displaced->size - 4, to + length, jump->target);
}

static const char *move(struct displaced *displaced, const uint8_t *bytes,
                        const struct instruction *instruction, uint64_t to)
{
    const ZydisDecodedInstruction *decoded = &instruction->decoded;
    uint8_t *code = displaced->code + displaced->size;

    if (instruction->target != 0 && is_jump(instruction))
        return move_jump(displaced, instruction, to);
    if (decoded->meta.category == ZYDIS_CATEGORY_CALL)
        return "begins with a call";
    memcpy(code, bytes, decoded->length);
    displaced->size += decoded->length;
    return instruction->target == 0
               ? NULL
               : lead_to(displaced,
                         displaced->size - decoded->length +
                             decoded->raw.disp.offset,
                         to + decoded->length, instruction->target);
}

/* Return true if control never passes beyond the instruction. */
static bool is_last(const struct instruction *instruction)
{
    ZydisInstructionCategory category = instruction->decoded.meta.category;

    return category == ZYDIS_CATEGORY_UNCOND_BR ||
           category == ZYDIS_CATEGORY_RET;
}

/* Check that the rest of the function has no jump into the covered bytes. */
static const char *check_rest(const struct displaced *displaced,
                              const uint8_t *function, size_t size,
                              uint64_t address)
{
    struct instruction instruction;

    for (size_t at = displaced->at - address; at < size;
         at = instruction.next - address) {
        if (!decode(&instruction, function + at, size - at, address + at))
            return "is not understood";
        if (instruction.target != 0 && is_jump(&instruction) &&
            instruction.target - displaced->at < displaced->taken)
            return "jumps to its own beginning";
    }
    return NULL;
}

const char *displaced_move(struct displaced *displaced, const uint8_t *function,
                           size_t size, uint64_t address, uint64_t moved)
{
    static const uint8_t landing_pad[] = { 0xf3, 0x0f, 0x1e, 0xfa };
    struct instruction instruction;
    bool is_ended = false;
    const char *why;
    size_t at = 0;

    if (size >= LANDING_PAD && memcmp(function, landing_pad, LANDING_PAD) == 0)
        at = LANDING_PAD;
    *displaced = (struct displaced){ .at = address + at };
    while (displaced->taken < DISPLACED_JUMP) {
        const uint8_t *bytes = function + at + displaced->taken;

        if (is_ended || at + displaced->taken >= size)
            return "is too short";
        if (!decode(&instruction, bytes, size - at - displaced->taken,
                    displaced->at + displaced->taken))
            return "is not understood";
        displaced->steps[displaced->count++] =
            (struct displaced_step){ (uint8_t)displaced->taken,
                                     (uint8_t)displaced->size };
        why = move(displaced, bytes, &instruction, moved + displaced->size);
        if (why != NULL)
            return why;
        displaced->taken += instruction.decoded.length;
        is_ended = is_last(&instruction);
    }
    if (!is_ended) {
        displaced->code[displaced->size] = 0xe9;
        displaced->size += DISPLACED_JUMP;
        why = lead_to(displaced, displaced->size - 4, moved + displaced->size,
                      displaced->at + displaced->taken);
        if (why != NULL)
            return why;
    }
    return check_rest(displaced, function, size, address);
}
