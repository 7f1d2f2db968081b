/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_local_word.c - a module with thread-local storage, as the recorder is
 *
 * For each new thread the loader callocs a table with a slot of 16 bytes for
 * every such module, so a process with the recorder asks for 16 bytes more.
 * Preloaded on the other side, this makes the requests of both equal.
 */
extern _Thread_local int thread_local_word;
_Thread_local int thread_local_word;
