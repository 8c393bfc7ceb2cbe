#pragma once
// The system's resolver for other records than addresses: its functions are macros, which Swift doesn't see.

/// What comes instead of an answer.
enum {
    /// The name doesn't exist.
    CRESOLV_NO_NAME = -1,
    /// The name exists and has no such records.
    CRESOLV_NO_DATA = -2,
    /// No name server can tell now: none answers, or none can find out.
    CRESOLV_TRY_AGAIN = -3,
    /// The name server refuses, or doesn't understand.
    CRESOLV_REFUSED = -4,
    /// The resolver can't be set up, or `server` is no IPv4 address.
    CRESOLV_UNUSABLE = -5
};

/// Asks for the records of one type in the class IN, and waits for the answer.
///
/// Asks the system's name servers, or the one at `server` and `port` where `server` isn't NULL. Waits `seconds` for each
/// of them, and goes round `attempts` times. That bounds UDP only: TCP, where the answer is too long for UDP, takes as long
/// as the system lets it.
///
/// Returns the answer's length, never more than `capacity`, or one of the above. Blocks SIGPIPE for the calling thread from
/// then on: the resolver writes to TCP without regard to it.
int heybot_resolv_ask(
    const char *name, int type, unsigned char *answer, int capacity, const char *server, int port, int seconds,
    int attempts);
