/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_error.h - errors in the bytes of a ledger
 *
 * A message joins the sentences and the offset:
 *
 *     tally: a.tally: WHY, at byte N; ADVICE
 */
#pragma once

/* name, value, why the ledger cannot be read, advice */
#define LEDGER_ERROR_LIST(X)                                             \
    X(LEDGER_E_OK, 0, "nothing is wrong", "carry on")                    \
    X(LEDGER_E_MAGIC, -1, "not a Tally recording",                       \
      "name a file that tally record wrote")                             \
    X(LEDGER_E_BYTE_ORDER, -2, "the recording has a foreign byte order", \
      "only little-endian recordings can be read; record again")         \
    X(LEDGER_E_MAJOR, -3, "the recording's format version is not 1",     \
      "read it with the tally that wrote it")                            \
    X(LEDGER_E_TRUNCATED, -4, "the recording is truncated",              \
      "copy the whole file, or record again")

/* Kinds of damage, which share one advice. */
#define LEDGER_DAMAGE_LIST(X)                                                 \
    X(LEDGER_E_GEOMETRY, -5, "the recording's header is inconsistent")        \
    X(LEDGER_E_DIRECTORY, -6,                                                 \
      "a directory entry points outside the recording")                       \
    X(LEDGER_E_SEGMENT, -7, "a directory entry has an unknown kind or index") \
    X(LEDGER_E_SITE, -8, "a call site has an unknown kind or module")         \
    X(LEDGER_E_MODULE, -9, "a module has impossible values")                  \
    X(LEDGER_E_TEXT, -10, "a text lies outside the recording's texts")        \
    X(LEDGER_E_NOTICE, -11, "a notice has an unknown code")                   \
    X(LEDGER_E_REGION, -12, "a slab or heap has an unknown kind")             \
    X(LEDGER_E_FRAME, -13, "a frame has an impossible parent or module")      \
    X(LEDGER_E_LIFETIMES, -14, "an estimate has an impossible variance")      \
    X(LEDGER_E_OVERLAP, -15, "segments overlap")                              \
    X(LEDGER_E_WORK, -16, "its parts are referenced too often")               \
    X(LEDGER_E_RESIDENCY, -17, "a stack has impossible resident bytes")       \
    X(LEDGER_E_HISTORY, -18, "a history is inconsistent")                     \
    X(LEDGER_E_EVENTS, -19, "the last events are longer than their segment")

enum ledger_error {
#define LEDGER_ERROR_ENUM(name, value, ...) name = (value),
    LEDGER_ERROR_LIST(LEDGER_ERROR_ENUM) LEDGER_DAMAGE_LIST(LEDGER_ERROR_ENUM)
#undef LEDGER_ERROR_ENUM
};

/* Return static text without a full stop, never NULL. */
const char *ledger_error_why(int error);
const char *ledger_error_advice(int error);
