// Counts the allocations of a process for irc-flood.py: loaded with LD_PRELOAD, it keeps the number in a file of eight bytes,
// whose path is in ALLOCATIONS.
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's own functions, which need no lookup, since a lookup allocates.
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ullong before_main;
static atomic_ullong *count = &before_main;

__attribute__((constructor)) static void open_count(void) {
    const char *path = getenv("ALLOCATIONS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) count = memory;
}

static void add(void) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    add();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    add();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    add();
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    add();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *new = memalign(alignment, size);
    if (!new) return ENOMEM;
    *memory = new;
    return 0;
}
