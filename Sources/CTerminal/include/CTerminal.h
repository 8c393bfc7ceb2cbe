#pragma once
// What the editor needs of the system that is no plain call from Swift: feature macros, signal handlers, termios.
#include <stdbool.h>
#include <stdint.h>

/// How many columns a Unicode scalar takes, whatever the process's locale; -1 where that isn't known.
int heybot_scalar_width(uint32_t scalar);

/// The size of a terminal; false where there is none, or it doesn't know.
bool heybot_terminal_size(int descriptor, int *columns, int *rows);

/// Whether we may read from the terminal; true also where there is no job control on it.
bool heybot_is_foreground(int descriptor);

/// A pipe whose ends never block.
bool heybot_open_pipe(int *read_end, int *write_end);

/// A pair of pseudo terminals; for tests.
bool heybot_open_terminal(int columns, int rows, int *master, int *slave);

/// Watches over a terminal's state: whatever ends the process, that is put back.
///
/// A byte is written to `wake` for SIGWINCH ('w') and SIGCONT ('c').
/// Returns a handle, or -1 where there are too many.
int heybot_guard_open(int input, int output, int wake);
/// Every key comes as it is pressed; false where that fails. The state before is kept, unless it is raw already.
bool heybot_guard_make_raw(int guard);
/// Whether it is: a signal that would have ended the process, and didn't, has put it back.
bool heybot_guard_is_raw(int guard);
/// As it was before.
void heybot_guard_restore(int guard);
/// The terminal is somebody else's now: leaves its state alone.
void heybot_guard_let_go(int guard);
void heybot_guard_close(int guard);
/// Puts back every terminal, as at the end of the process. Async-signal-safe.
void heybot_restore_terminals(void);
