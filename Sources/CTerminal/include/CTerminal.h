#pragma once
// System functions for the line editor that Swift can't call directly: feature macros, signal handlers, termios.
#include <stdbool.h>
#include <stdint.h>

/// Returns the width of a Unicode scalar in columns, independent of the locale; -1 if it is unknown.
int heybot_scalar_width(uint32_t scalar);

/// Returns the size of a terminal; false if there is no terminal or the size is unknown.
bool heybot_terminal_size(int descriptor, int *columns, int *rows);

/// Whether this process may read from the terminal. True if there is no job control.
bool heybot_is_foreground(int descriptor);

/// Opens a non-blocking pipe.
bool heybot_open_pipe(int *read_end, int *write_end);

/// Opens a pseudo terminal, for tests.
bool heybot_open_terminal(int columns, int rows, int *master, int *slave);

/// Guards a terminal: its mode is restored however the process ends.
///
/// A byte is written to `wake` for SIGWINCH ('w') and SIGCONT ('c').
/// Returns a handle, or -1 if there are too many guards.
int heybot_guard_open(int input, int output, int wake);
/// Switches the terminal to raw mode, and saves the mode before it; returns false if that fails.
bool heybot_guard_make_raw(int guard);
/// Whether the terminal is in raw mode. It isn't any more after a signal that should have ended the process.
bool heybot_guard_is_raw(int guard);
/// Restores the saved mode.
void heybot_guard_restore(int guard);
/// Stops managing the mode: the terminal belongs to another job now.
void heybot_guard_release(int guard);
void heybot_guard_close(int guard);
/// Restores all terminals. Async-signal-safe.
void heybot_restore_terminals(void);
