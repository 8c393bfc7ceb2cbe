#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CResolv.h"

#include <sys/types.h>
#include <netinet/in.h>
#include <arpa/nameser.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <resolv.h>
#include <signal.h>
#include <string.h>

// Apple's res_nclose only closes sockets; glibc's frees everything.
#ifdef __APPLE__
#define end_resolver res_ndestroy
#else
#define end_resolver res_nclose
#endif

static int outcome(int error) {
    switch (error) {
    case HOST_NOT_FOUND: return CRESOLV_NO_NAME;
    case NO_DATA: return CRESOLV_NO_DATA;
    case NO_RECOVERY: return CRESOLV_REFUSED;
    default: return CRESOLV_TRY_AGAIN;
    }
}

int heybot_resolv_ask(
    const char *name, int type, unsigned char *answer, int capacity, const char *server, int port, int seconds,
    int attempts) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    if (server) {
#ifdef __APPLE__
        address.sin_len = sizeof address;
#endif
        address.sin_family = AF_INET;
        address.sin_port = htons((unsigned short)port);
        if (inet_pton(AF_INET, server, &address.sin_addr) != 1) return CRESOLV_UNUSABLE;
    }

    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    // The resolver's shared state isn't thread-safe on all systems.
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return CRESOLV_UNUSABLE;
    if (server) {
        state.nscount = 1;
        state.nsaddr_list[0] = address;
    }
    state.retrans = seconds;
    state.retry = attempts;
    int length = res_nquery(&state, name, ns_c_in, type, answer, capacity);
    int error = state.res_h_errno;
    end_resolver(&state);
    if (length < 0) return outcome(error);
    return length < capacity ? length : capacity;
}
