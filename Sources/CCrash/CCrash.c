#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CCrash.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// The script of each thread

struct heybot_crash_origin {
    char script[129], part[129];
};

struct note {
    // NULL if the thread runs no script.
    const struct heybot_crash_origin *origin;
    // What `origin` points to if it wasn't made before.
    struct heybot_crash_origin own;
    char scope[65], id[129];
};

static _Thread_local struct note note;
static _Thread_local void *handler_stack;

enum { stack_size = 64 << 10 };

// Copies a text. It is cleaned only after a crash, because a thread notes what it runs several times for each message.
static void copy(char *to, size_t size, const char *from, size_t length) {
    if (length >= size) {
        length = size - 1;
        // Don't cut within a character.
        while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80) length--;
    }
    if (length > 0) memcpy(to, from, length);
    to[length] = 0;
    for (char *end; (end = memchr(to, 0, length)); *end = '?') {}
}

// Prepares a text for a JSON string: characters that would need escapes become question marks.
static void clean(char *text) {
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\') *text = '?';
    }
}

void heybot_crash_note_script(const void *script, size_t script_length, const void *part, size_t part_length) {
    copy(note.own.script, sizeof note.own.script, script, script_length);
    copy(note.own.part, sizeof note.own.part, part, part_length);
    note.origin = &note.own;
}

const heybot_crash_origin *heybot_crash_make_origin(
    const void *script, size_t script_length, const void *part, size_t part_length) {
    heybot_crash_origin *origin = malloc(sizeof *origin);
    if (!origin) return NULL;
    copy(origin->script, sizeof origin->script, script, script_length);
    copy(origin->part, sizeof origin->part, part, part_length);
    return origin;
}

void heybot_crash_note_origin(const heybot_crash_origin *origin) { note.origin = origin; }

void heybot_crash_note_message(const void *scope, size_t scope_length, const void *id, size_t id_length) {
    copy(note.scope, sizeof note.scope, scope, scope_length);
    copy(note.id, sizeof note.id, id, id_length);
}

void heybot_crash_begin_thread(void) {
    // The first access may allocate the thread-local variable, so it must not be in a signal handler.
    note.origin = NULL;
    void *memory = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory == MAP_FAILED) return;
    stack_t stack = {.ss_sp = memory, .ss_size = stack_size};
    if (sigaltstack(&stack, NULL) == 0) handler_stack = memory;
    else munmap(memory, stack_size);
}

void heybot_crash_end_thread(void) {
    if (!handler_stack) return;
    stack_t none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(&none, NULL) == 0) munmap(handler_stack, stack_size);
    handler_stack = NULL;
}

// The handler

static const struct {
    int number;
    const char *name, *meaning;
} signals[] = {
    {SIGILL, "SIGILL", "a trap: a failed check such as an index out of range, ! on nil or an overflow"},
    {SIGTRAP, "SIGTRAP", "a trap: a failed check such as an index out of range, ! on nil or an overflow"},
    {SIGSEGV, "SIGSEGV", "bad memory access, or a stack overflow"},
    {SIGBUS, "SIGBUS", "bad memory access"},
    {SIGFPE, "SIGFPE", "an arithmetic error"},
    {SIGABRT, "SIGABRT", "abort"},
};
enum { signal_count = sizeof signals / sizeof *signals };

static struct sigaction previous[signal_count];
static char record_path[1024], line_prefix[64];
static uintptr_t base;
static atomic_flag is_reported = ATOMIC_FLAG_INIT;

struct text {
    char bytes[1024];
    size_t length;
};

static void add(struct text *text, const char *more) {
    while (*more && text->length < sizeof text->bytes) text->bytes[text->length++] = *more++;
}

static void add_number(struct text *text, uint64_t number, unsigned radix) {
    char digits[24];
    size_t start = sizeof digits - 1;
    digits[start] = 0;
    do {
        digits[--start] = "0123456789abcdef"[number % radix];
        number /= radix;
    } while (number);
    add(text, digits + start);
}

static void put(int descriptor, const struct text *text) {
    size_t written = 0;
    while (written < text->length) {
        ssize_t count = write(descriptor, text->bytes + written, text->length - written);
        if (count <= 0) return;
        written += (size_t)count;
    }
}

// The program counter, relative to the beginning of this module; 0 if it is unknown or in a library.
static uintptr_t program_offset(void *context) {
    uintptr_t counter = 0;
#if defined(__linux__) && defined(__x86_64__)
    counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__linux__) && defined(__aarch64__)
    counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext.pc;
#elif defined(__APPLE__) && defined(__x86_64__)
    counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext->__ss.__rip;
#elif defined(__APPLE__) && defined(__aarch64__)
    counter = (uintptr_t)((ucontext_t *)context)->uc_mcontext->__ss.__pc;
#endif
    // Larger offsets are in libraries, whose addresses are useless without their base.
    return base && counter > base && counter - base < (1u << 30) ? counter - base : 0;
}

// Opens the file of records with a lock, since another process may be replacing the file. After a second it goes without.
static int open_records(void) {
    for (int attempt = 0;; attempt++) {
        int file = open(record_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) return file;
        bool is_locked = flock(file, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        // It may have been replaced before it was locked.
        struct stat opened, present;
        bool is_present = fstat(file, &opened) == 0 && stat(record_path, &present) == 0
            && opened.st_dev == present.st_dev && opened.st_ino == present.st_ino;
        if ((is_locked && is_present) || attempt == 100) return file;
        close(file);
        poll(NULL, 0, 10);
    }
}

static void report(int index, uintptr_t offset) {
    heybot_crash_origin origin = {.script = {0}};
    if (note.origin) origin = *note.origin;
    clean(origin.script);
    clean(origin.part);
    clean(note.scope);
    clean(note.id);
    struct text line = {.length = 0};
    add(&line, line_prefix);
    add(&line, "heybot: crashed by ");
    add(&line, signals[index].name);
    add(&line, " (");
    add(&line, signals[index].meaning);
    add(&line, ") in ");
    if (origin.script[0]) {
        add(&line, "script ");
        add(&line, origin.script);
        add(&line, ", listener ");
        add(&line, origin.part);
        if (note.id[0]) {
            add(&line, ", on message ");
            add(&line, note.scope);
            add(&line, ":");
            add(&line, note.id);
        }
    } else {
        add(&line, "no script");
    }
    if (offset) {
        add(&line, ", at 0x");
        add_number(&line, offset, 16);
    }
    add(&line, "\n");
    put(2, &line);

    if (!record_path[0]) return;
    struct text record = {.length = 0};
    add(&record, "{\"time\":");
    add_number(&record, (uint64_t)time(NULL), 10);
    add(&record, ",\"process\":");
    add_number(&record, (uint64_t)getpid(), 10);
    add(&record, ",\"signal\":\"");
    add(&record, signals[index].name);
    if (origin.script[0]) {
        add(&record, "\",\"script\":\"");
        add(&record, origin.script);
        add(&record, "\",\"listener\":\"");
        add(&record, origin.part);
        if (note.id[0]) {
            add(&record, "\",\"message\":\"");
            add(&record, note.scope);
            add(&record, ":");
            add(&record, note.id);
        }
    }
    if (offset) {
        add(&record, "\",\"address\":\"0x");
        add_number(&record, offset, 16);
    }
    add(&record, "\"}\n");
    int file = open_records();
    if (file < 0) return;
    put(file, &record);
    close(file);
}

/// Whether this thread is the one that crashed first.
static _Thread_local bool reports;

static void on_crash(int number, siginfo_t *info, void *context) {
    for (int index = 0; index < signal_count; index++) {
        if (signals[index].number != number) continue;
        // If several threads crash at once, only the first is reported.
        if (!atomic_flag_test_and_set(&is_reported)) {
            reports = true;
            report(index, program_offset(context));
        } else if (!reports) {
            // Wait until the first thread has written its record and ends the process.
            for (;;) pause();
        }
        sigaction(number, &previous[index], NULL);
    }
    // A fault recurs when this returns, with its original context; other signals are raised again.
    bool is_fault = info && info->si_code > 0
        && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
    if (!is_fault) raise(number);
}

bool heybot_crash_install(const char *path, const char *prefix) {
    if ((path && strlen(path) >= sizeof record_path) || strlen(prefix) >= sizeof line_prefix) return false;
    strcpy(record_path, path ? path : "");
    strcpy(line_prefix, prefix);
    Dl_info module;
    if (dladdr((void *)(uintptr_t)&heybot_crash_install, &module)) base = (uintptr_t)module.dli_fbase;
    // The main thread needs a handler stack too.
    heybot_crash_begin_thread();
    for (int index = 0; index < signal_count; index++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_crash;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigfillset(&action.sa_mask);
        sigaction(signals[index].number, &action, &previous[index]);
    }
    return true;
}
