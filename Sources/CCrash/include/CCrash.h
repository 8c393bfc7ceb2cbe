#pragma once
// What has to be done when the process crashes: only async-signal-safe C can do it.
#include <stdbool.h>
#include <stddef.h>

/// Handles SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE and SIGABRT: writes a line to standard error, appends a record to
/// a file, and lets the signal end the process as it would have done without us.
///
/// The line begins with `prefix`. The record is a JSON object and a line break; there is none if `path` is NULL.
/// To be called once, before anything else handles these signals. False if a path or prefix is too long.
bool heybot_crash_install(const char *path, const char *prefix);

/// Gives this thread a stack for signal handlers, so that even a stack overflow is reported.
void heybot_crash_begin_thread(void);
/// Frees that stack; to be called by a thread before it ends.
void heybot_crash_end_thread(void);

/// Notes what this thread runs, for the report of a crash; texts are UTF-8 without a final NUL, and are cut to 128 bytes.
///
/// A thread that has noted nothing, or an empty script, runs no script. `scope` and `id` make the message's name.
void heybot_crash_note(
    const void *script, size_t script_length, const void *part, size_t part_length, const void *scope,
    size_t scope_length, const void *id, size_t id_length);
