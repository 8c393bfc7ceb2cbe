#pragma once
// Crash reports. Signal handlers must be async-signal-safe, so this is C.
#include <stdbool.h>
#include <stddef.h>

/// Installs handlers for SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE and SIGABRT. They write a line to standard error,
/// append a record to a file, and let the signal end the process as usual.
///
/// The line begins with `prefix`. The record is a JSON object and a line break; without `path` there is none. To replace the
/// file, lock it exclusively with flock(2).
/// Call it once, before other handlers are installed. Returns false if the path or prefix is too long.
bool heybot_crash_install(const char *path, const char *prefix);

/// Allocates a stack for signal handlers in this thread, so that stack overflows are reported too.
void heybot_crash_begin_thread(void);
/// Frees that stack. Call it at the end of the thread.
void heybot_crash_end_thread(void);

/// Sets the script that this thread runs, for crash reports. Texts are UTF-8 without a final NUL, and are cut to 128 bytes.
///
/// An empty script means that the thread runs none, which is the default.
void heybot_crash_note_script(const void *script, size_t script_length, const void *part, size_t part_length);

/// A script and its part, prepared for ``heybot_crash_note_origin``.
typedef struct heybot_crash_origin heybot_crash_origin;

/// Prepares a script and its part. They are never freed, since a thread that has noted them may crash at any time. NULL if there
/// is no memory.
const heybot_crash_origin *heybot_crash_make_origin(
    const void *script, size_t script_length, const void *part, size_t part_length);

/// Sets the script that this thread runs, like ``heybot_crash_note_script``, without copying it. NULL means that it runs none.
void heybot_crash_note_origin(const heybot_crash_origin *origin);

/// Sets the message that this thread handles, in the same way; `scope` is cut to 64 bytes.
///
/// `scope` and `id` form the message's id; both are empty for none.
void heybot_crash_note_message(const void *scope, size_t scope_length, const void *id, size_t id_length);
