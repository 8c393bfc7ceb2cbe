#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// Widths

static locale_t utf8;
static pthread_once_t utf8_once = PTHREAD_ONCE_INIT;

static void open_utf8(void) {
    const char *names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};
    for (size_t index = 0; index < sizeof names / sizeof *names && !utf8; index++) {
        utf8 = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
    }
}

int heybot_scalar_width(uint32_t scalar) {
    pthread_once(&utf8_once, open_utf8);
    if (!utf8) return wcwidth((wchar_t)scalar);
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)scalar);
    uselocale(before);
    return width;
}

// Terminals

bool heybot_terminal_size(int descriptor, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return false;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return true;
}

bool heybot_is_foreground(int descriptor) {
    pid_t group = tcgetpgrp(descriptor);
    return group < 0 || group == getpgrp();
}

static bool prepare(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0
        && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

bool heybot_open_pipe(int *read_end, int *write_end) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    *read_end = ends[0];
    *write_end = ends[1];
    if (prepare(ends[0]) && prepare(ends[1])) return true;
    close(ends[0]);
    close(ends[1]);
    return false;
}

bool heybot_open_terminal(int columns, int rows, int *master, int *slave) {
    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master < 0) return false;
    const char *name = grantpt(*master) == 0 && unlockpt(*master) == 0 ? ptsname(*master) : NULL;
    *slave = name ? open(name, O_RDWR | O_NOCTTY) : -1;
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    if (*slave >= 0 && ioctl(*slave, TIOCSWINSZ, &size) == 0) return true;
    if (*slave >= 0) close(*slave);
    close(*master);
    return false;
}

// Guards

enum { unused, cooked, raw };

struct guard {
    // The other members are valid unless this is `unused`; `saved` is valid if it is `raw`.
    atomic_int state;
    int input, output, wake;
    struct termios saved;
};

static struct guard guards[16];
static const int guard_count = sizeof guards / sizeof *guards;
static int open_guards;
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;

static const int notices[] = {SIGWINCH, SIGCONT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT};
// Handled only if they have their default action.
static const int ends[] = {SIGHUP, SIGTERM, SIGINT};
static struct sigaction previous[128];

// Disables bracketed paste, resets colors, and begins a new line.
static const char sane[] = "\033[?2004l\033[0m\r\n\033[J";

void heybot_restore_terminals(void) {
    int error = errno;
    for (int index = 0; index < guard_count; index++) {
        struct guard *guard = &guards[index];
        int was = raw;
        if (!atomic_compare_exchange_strong(&guard->state, &was, cooked)) continue;
        tcsetattr(guard->input, TCSANOW, &guard->saved);
        // Don't block if the terminal accepts no output; it may never do so again.
        int flags = fcntl(guard->output, F_GETFL);
        if (flags < 0 || fcntl(guard->output, F_SETFL, flags | O_NONBLOCK) != 0) continue;
        (void)!write(guard->output, sane, sizeof sane - 1);
        fcntl(guard->output, F_SETFL, flags);
    }
    errno = error;
}

static void on_notice(int number, siginfo_t *info, void *context) {
    int error = errno;
    char byte = number == SIGWINCH ? 'w' : 'c';
    for (int index = 0; index < guard_count; index++) {
        if (atomic_load(&guards[index].state) != unused) (void)!write(guards[index].wake, &byte, 1);
    }
    errno = error;
    struct sigaction *before = &previous[number];
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    }
}

static void on_end(int number, siginfo_t *info, void *context) {
    (void)context;
    heybot_restore_terminals();
    sigaction(number, &previous[number], NULL);
    // A fault recurs when this returns, with its original context; other signals are raised again.
    bool is_fault = info && info->si_code > 0
        && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
    if (!is_fault) raise(number);
}

typedef void handler_function(int, siginfo_t *, void *);

static void install_handlers(const int *numbers, size_t count, handler_function *handler, int flags, bool only_default) {
    for (size_t index = 0; index < count; index++) {
        struct sigaction now;
        if (sigaction(numbers[index], NULL, &now) != 0) continue;
        bool is_default = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
        bool is_ignored = !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
        if ((only_default && !is_default) || (handler == on_end && is_ignored)) continue;
        if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) continue;
        previous[numbers[index]] = now;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = handler;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | flags;
        // Blocking SIGTTOU also allows setting a terminal from the background.
        sigfillset(&action.sa_mask);
        sigaction(numbers[index], &action, NULL);
    }
}

static void restore_handlers(const int *numbers, size_t count, handler_function *handler) {
    for (size_t index = 0; index < count; index++) {
        struct sigaction now;
        if (sigaction(numbers[index], NULL, &now) != 0) continue;
        if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != handler) continue;
        sigaction(numbers[index], &previous[numbers[index]], NULL);
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

int heybot_guard_open(int input, int output, int wake) {
    static bool restores_at_exit;
    int found = -1;
    pthread_mutex_lock(&guards_lock);
    for (int index = 0; index < guard_count && found < 0; index++) {
        if (atomic_load(&guards[index].state) == unused) found = index;
    }
    if (found >= 0) {
        guards[found].input = input;
        guards[found].output = output;
        guards[found].wake = wake;
        atomic_store(&guards[found].state, cooked);
        if (open_guards++ == 0) {
            install_handlers(notices, COUNT(notices), on_notice, SA_RESTART, false);
            install_handlers(crashes, COUNT(crashes), on_end, 0, false);
            install_handlers(ends, COUNT(ends), on_end, 0, true);
        }
        if (!restores_at_exit) restores_at_exit = atexit(heybot_restore_terminals) == 0;
    }
    pthread_mutex_unlock(&guards_lock);
    return found;
}

bool heybot_guard_make_raw(int index) {
    struct guard *guard = &guards[index];
    if (atomic_load(&guard->state) == cooked && tcgetattr(guard->input, &guard->saved) != 0) return false;
    struct termios wanted = guard->saved;
    wanted.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | IGNCR | INLCR | INPCK | ISTRIP | IXON);
    wanted.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    wanted.c_cflag |= CS8;
    wanted.c_cc[VMIN] = 1;
    wanted.c_cc[VTIME] = 0;
    // Set first: if the process ends in between, restoring the unchanged mode is harmless.
    atomic_store(&guard->state, raw);
    int result;
    do result = tcsetattr(guard->input, TCSANOW, &wanted);
    while (result != 0 && errno == EINTR);
    if (result != 0) atomic_store(&guard->state, cooked);
    return result == 0;
}

bool heybot_guard_is_raw(int index) {
    return atomic_load(&guards[index].state) == raw;
}

void heybot_guard_restore(int index) {
    struct guard *guard = &guards[index];
    if (atomic_load(&guard->state) != raw) return;
    int result;
    do result = tcsetattr(guard->input, TCSANOW, &guard->saved);
    while (result != 0 && errno == EINTR);
    atomic_store(&guard->state, cooked);
}

void heybot_guard_release(int index) {
    int was = raw;
    atomic_compare_exchange_strong(&guards[index].state, &was, cooked);
}

void heybot_guard_close(int index) {
    heybot_guard_restore(index);
    pthread_mutex_lock(&guards_lock);
    atomic_store(&guards[index].state, unused);
    if (--open_guards == 0) {
        restore_handlers(notices, COUNT(notices), on_notice);
        restore_handlers(crashes, COUNT(crashes), on_end);
        restore_handlers(ends, COUNT(ends), on_end);
    }
    pthread_mutex_unlock(&guards_lock);
}
