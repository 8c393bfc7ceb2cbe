#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#ifdef __APPLE__
#include <xlocale.h>
#define LIBRARY "libcurl.4.dylib"
#else
#define LIBRARY "libcurl.so.4"
#endif

// MARK: Loading

#define FIND(name) (heybot_curl.name = (__typeof__(heybot_curl.name))dlsym(library, "curl_" #name)) &&

// QUICK_EXIT came with 7.87, CURLU_PUNYCODE with 7.88.
static const unsigned int oldest = 0x075800;

struct heybot_curl_functions heybot_curl;
static locale_t utf8;
static bool is_loaded;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

static bool prepare(void *library, char *reason, size_t capacity) {
    heybot_curl.version_info = (__typeof__(heybot_curl.version_info))dlsym(library, "curl_version_info");
    curl_version_info_data *version = heybot_curl.version_info ? heybot_curl.version_info(CURLVERSION_FOURTH) : NULL;
    if (!version || version->version_num < oldest) {
        snprintf(reason, capacity, "this is %s", version ? version->version : "another library");
        return false;
    }
    if (!(CCURL_FUNCTIONS(FIND) true) || heybot_curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        snprintf(reason, capacity, "%s can't be used", version->version);
        return false;
    }
    utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    return true;
}

bool heybot_curl_load(char *reason, size_t capacity) {
    pthread_mutex_lock(&loading);
    if (!is_loaded) {
        void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
        if (library) {
            is_loaded = prepare(library, reason, capacity);
            if (!is_loaded) dlclose(library);
        } else {
            snprintf(reason, capacity, "%s", dlerror());
        }
    }
    bool result = is_loaded;
    pthread_mutex_unlock(&loading);
    return result;
}

// MARK: Transfers

CURL *heybot_curl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = heybot_curl.multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

curl_socket_t heybot_curl_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor != CURL_SOCKET_BAD) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

CURLUcode heybot_curl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    // The conversion to Punycode expects names in the locale's encoding, which is "C" by default.
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    CURLUcode result = heybot_curl.url_get(url, part, text, flags);
    if (utf8) uselocale(before);
    return result;
}

// MARK: The thread

typedef struct {
    void (*body)(void *);
    void *context;
} thread_body;

static void *run(void *pointer) {
    thread_body body = *(thread_body *)pointer;
    free(pointer);
#ifdef __APPLE__
    pthread_setname_np("curl");
#else
    pthread_setname_np(pthread_self(), "curl");
#endif
    // Libraries used by libcurl may write to a closed connection.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    body.body(body.context);
    return NULL;
}

bool heybot_curl_thread_start(heybot_curl_thread *thread, void (*body)(void *), void *context) {
    thread_body *pointer = malloc(sizeof *pointer);
    if (!pointer) return false;
    *pointer = (thread_body){body, context};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 512 << 10);
    bool is_started = pthread_create(&thread->id, &attributes, run, pointer) == 0;
    pthread_attr_destroy(&attributes);
    if (!is_started) free(pointer);
    return is_started;
}

void heybot_curl_thread_end(heybot_curl_thread thread) {
    if (pthread_equal(thread.id, pthread_self())) {
        pthread_detach(thread.id);
    } else {
        pthread_join(thread.id, NULL);
    }
}
