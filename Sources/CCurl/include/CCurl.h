#pragma once
// libcurl, loaded with the first request, so that a robot without requests doesn't need memory for it.
//
// Call heybot_curl_load before any other function. Swift can't call variadic functions, so the wrappers here have types;
// they reject options of other types.
#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/// Loads the library into the process if it isn't loaded yet.
///
/// Returns false, with the reason, if it isn't installed or is too old. Then it may be called again.
bool heybot_curl_load(char *reason, size_t capacity);

#define CCURL_FUNCTIONS(EACH)                                                                                    \
    EACH(version_info) EACH(global_init) EACH(free) EACH(url) EACH(url_cleanup) EACH(url_set) EACH(url_get)            \
    EACH(multi_init) EACH(multi_cleanup) EACH(multi_setopt) EACH(multi_add_handle) EACH(multi_remove_handle)           \
    EACH(multi_perform) EACH(multi_poll) EACH(multi_wakeup) EACH(multi_info_read)                                      \
    EACH(easy_init) EACH(easy_cleanup) EACH(easy_setopt) EACH(easy_getinfo) EACH(slist_append) EACH(slist_free_all)
#define CCURL_FIELD(name) __typeof__(&curl_##name) name;

extern struct heybot_curl_functions {
    CCURL_FUNCTIONS(CCURL_FIELD)
} heybot_curl;

// MARK: Many transfers

static inline CURLM *heybot_curl_multi_init(void) { return heybot_curl.multi_init(); }
static inline void heybot_curl_multi_cleanup(CURLM *multi) { heybot_curl.multi_cleanup(multi); }
static inline CURLMcode heybot_curl_multi_set(CURLM *multi, CURLMoption option, long value) {
    if (option / 10000 != CURLOPTTYPE_LONG / 10000) return CURLM_UNKNOWN_OPTION;
    return heybot_curl.multi_setopt(multi, option, value);
}
static inline CURLMcode heybot_curl_multi_add(CURLM *multi, CURL *handle) {
    return heybot_curl.multi_add_handle(multi, handle);
}
static inline void heybot_curl_multi_remove(CURLM *multi, CURL *handle) {
    heybot_curl.multi_remove_handle(multi, handle);
}
static inline CURLMcode heybot_curl_multi_perform(CURLM *multi) {
    int running;
    return heybot_curl.multi_perform(multi, &running);
}
static inline CURLMcode heybot_curl_multi_poll(CURLM *multi, int milliseconds) {
    return heybot_curl.multi_poll(multi, NULL, 0, milliseconds, NULL);
}
/// May be called from any thread.
static inline void heybot_curl_multi_wake(CURLM *multi) { heybot_curl.multi_wakeup(multi); }
/// Returns the next finished transfer and its result; NULL if there is none.
CURL *heybot_curl_multi_next_done(CURLM *multi, CURLcode *result);

// MARK: One transfer

typedef size_t (*heybot_curl_data)(char *bytes, size_t size, size_t count, void *context);

static inline CURL *heybot_curl_init(void) { return heybot_curl.easy_init(); }
static inline void heybot_curl_cleanup(CURL *handle) { heybot_curl.easy_cleanup(handle); }
#define CCURL_SET(kind) \
    option / 10000 == kind / 10000 ? heybot_curl.easy_setopt(handle, option, value) : CURLE_UNKNOWN_OPTION
static inline CURLcode heybot_curl_set_long(CURL *handle, CURLoption option, long value) {
    return CCURL_SET(CURLOPTTYPE_LONG);
}
static inline CURLcode heybot_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return CCURL_SET(CURLOPTTYPE_OFF_T);
}
static inline CURLcode heybot_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return CCURL_SET(CURLOPTTYPE_OBJECTPOINT);
}
static inline CURLcode heybot_curl_set_data(CURL *handle, CURLoption option, heybot_curl_data value) {
    return CCURL_SET(CURLOPTTYPE_FUNCTIONPOINT);
}
static inline CURLcode heybot_curl_set_open(CURL *handle, curl_opensocket_callback value) {
    return heybot_curl.easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode heybot_curl_set_ready(CURL *handle, curl_prereq_callback value) {
    return heybot_curl.easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}
/// Returns a value of a transfer; 0 if it is unknown.
static inline long heybot_curl_long(CURL *handle, CURLINFO info) {
    long value = 0;
    if ((info & CURLINFO_TYPEMASK) == CURLINFO_LONG) heybot_curl.easy_getinfo(handle, info, &value);
    return value;
}
static inline const char *heybot_curl_text(CURL *handle, CURLINFO info) {
    char *value = NULL;
    if ((info & CURLINFO_TYPEMASK) == CURLINFO_STRING) heybot_curl.easy_getinfo(handle, info, &value);
    return value;
}
/// Appends a text to a list. Returns NULL, with the list unchanged, if there is no memory.
static inline struct curl_slist *heybot_curl_list_append(struct curl_slist *list, const char *text) {
    return heybot_curl.slist_append(list, text);
}
static inline void heybot_curl_list_free(struct curl_slist *list) { heybot_curl.slist_free_all(list); }

static inline const struct sockaddr *heybot_curl_address(const struct curl_sockaddr *address) {
    return &address->addr;
}
/// Opens a socket like libcurl, but close-on-exec.
curl_socket_t heybot_curl_open_socket(const struct curl_sockaddr *address);

// MARK: URLs

static inline CURLU *heybot_curl_url(void) { return heybot_curl.url(); }
static inline void heybot_curl_url_cleanup(CURLU *url) { heybot_curl.url_cleanup(url); }
static inline CURLUcode heybot_curl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags) {
    return heybot_curl.url_set(url, part, text, flags);
}
/// Returns a part of a URL in UTF-8, independent of the locale. Free it with heybot_curl_free.
CURLUcode heybot_curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);
static inline void heybot_curl_free(void *text) { heybot_curl.free(text); }

// MARK: The thread

typedef struct {
    pthread_t id;
} heybot_curl_thread;

/// Starts a thread named "curl"; returns false if the system can't create one.
bool heybot_curl_thread_start(heybot_curl_thread *thread, void (*body)(void *), void *context);
/// Waits for the thread to end. If it is the calling thread, it is detached instead.
void heybot_curl_thread_end(heybot_curl_thread thread);
