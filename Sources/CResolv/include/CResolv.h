#pragma once
// The system's resolver, for records other than addresses. Its functions are macros, which Swift can't import.

/// Errors of heybot_resolv_ask.
enum {
    /// The name doesn't exist.
    CRESOLV_NO_NAME = -1,
    /// The name exists and has no such records.
    CRESOLV_NO_DATA = -2,
    /// No name server answers, or none can find the answer now.
    CRESOLV_TRY_AGAIN = -3,
    /// The name server refuses the query, or doesn't understand it.
    CRESOLV_REFUSED = -4,
    /// The resolver can't be initialized, or `server` isn't an IPv4 address.
    CRESOLV_UNUSABLE = -5
};

/// Queries the records of one type in the class IN, and waits for the answer.
///
/// It queries the system's name servers, or the one at `server` and `port` if `server` isn't NULL. It waits `seconds` for
/// each, and tries all of them `attempts` times. This limits UDP only: if an answer is too long for UDP, TCP has the
/// system's timeouts.
///
/// Returns the answer's length, at most `capacity`, or an error. Blocks SIGPIPE in the calling thread permanently, since the
/// resolver may write to a closed TCP connection.
int heybot_resolv_ask(
    const char *name, int type, unsigned char *answer, int capacity, const char *server, int port, int seconds,
    int attempts);
