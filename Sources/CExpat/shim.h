#pragma once
// Without it, expat.h hides the setters of the limits on entities, which the library has all the same.
#ifndef XML_DTD
#define XML_DTD 1
#endif
#include <dlfcn.h>
#include <expat.h>
#include <stdbool.h>
#include <string.h>

/// Lets a token be read as soon as its last byte is there, also where it came in pieces.
///
/// Since 2.6 expat defers that by default, and distributions have put it into older versions without telling so in the
/// header. So the library is asked when the program runs: the one there may not be the one it was built with.
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

/// How many bytes a text has.
static inline size_t heybot_expat_length(const XML_Char *text) { return strlen(text); }

/// Whether two runs of bytes are the same.
static inline bool heybot_expat_same(const void *one, const void *other, size_t count) {
    return memcmp(one, other, count) == 0;
}
