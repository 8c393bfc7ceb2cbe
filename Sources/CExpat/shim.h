#pragma once
// Without this macro expat.h hides the functions that set limits on entities.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <dlfcn.h>
#include <expat.h>
#include <stdbool.h>
#include <string.h>

/// Disables reparse deferral, so that a token is reported as soon as its last byte arrives, also if it came in parts.
///
/// Expat 2.6 enables deferral by default, and distributions have backported it to older versions without a change in the
/// header. So the function is looked up at run time.
static inline void heybot_expat_read_at_once(XML_Parser parser) {
#if defined(__linux__) && (XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 6))
    XML_SetReparseDeferralEnabled(parser, XML_FALSE);
#else
    void *program = dlopen(0, RTLD_LAZY);
    if (!program) return;
    XML_Bool (*set)(XML_Parser, XML_Bool) =
        (XML_Bool (*)(XML_Parser, XML_Bool))dlsym(program, "XML_SetReparseDeferralEnabled");
    if (set) set(parser, XML_FALSE);
    dlclose(program);
#endif
}

/// Returns the length of a text in bytes.
static inline size_t heybot_expat_length(const XML_Char *text) { return strlen(text); }

/// Whether two ranges of bytes are equal.
static inline bool heybot_expat_same(const void *one, const void *other, size_t count) {
    return memcmp(one, other, count) == 0;
}
