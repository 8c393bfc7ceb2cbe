import Heybot
import HeybotSockets

/// An error in the communication with the server.
struct RedisClientError: Error, Hashable, Sendable {
    /// The error for callers, with the server's name and the fix.
    let storeError: StoreError
    /// Whether the problem needs a person, so that retrying is useless.
    let isPermanent: Bool

    init(_ storeError: StoreError, isPermanent: Bool = false) {
        self.storeError = storeError
        self.isPermanent = isPermanent
    }

    init(_ code: StoreError.Code, _ reason: String, fix: String? = nil, isPermanent: Bool = false) {
        self.init(StoreError(code, reason, fix: fix), isPermanent: isPermanent)
    }

    var code: StoreError.Code { storeError.code }
    /// The error and the fix, in one line.
    var message: String { storeError.description }
}

/// A server's name in errors.
struct ServerNameInErrors: CustomStringConvertible {
    let endpoint: Endpoint
    let isSentinel: Bool

    init(_ endpoint: Endpoint, isSentinel: Bool = false) {
        self.endpoint = endpoint
        self.isSentinel = isSentinel
    }

    /// The kind of server, without its address.
    var kind: String { isSentinel ? "the Sentinel" : "Redis" }
    /// Where its password is set.
    var login: String { isSentinel ? "the Sentinels' password" : "the user and password in the URL" }

    var description: String { "\(kind) at \(endpoint)" }
}

extension RedisErrorReply {
    /// Converts the error for the caller.
    ///
    /// - Parameters:
    ///   - server: The server that sent it.
    ///   - key: The key of the command, if there is one.
    func redisError(at server: ServerNameInErrors, key: String? = nil) -> RedisClientError {
        switch code {
        case "WRONGPASS":
            return RedisClientError(
                .refused, "\(server) rejected the password", fix: "check \(server.login)", isPermanent: true)
        case "NOAUTH":
            return RedisClientError(
                .refused, "\(server) requires a password", fix: "set \(server.login)", isPermanent: true)
        case "DENIED":
            return RedisClientError(
                .refused, "\(server) only accepts connections from its own machine",
                fix: "set a password in Redis, or disable its protected-mode",
                isPermanent: true)
        case "TOOLONG":
            let excess = "exceeds the maximum size of a value"
            let text = key.map { "the value of \($0) in \(server) \(excess); it was left unchanged" }
            return RedisClientError(.tooLong, text ?? "a reply from \(server) \(excess)")
        case "NOPERM":
            return RedisClientError(
                .refused, "\(server) denies this command to the user (\(words))", fix: "allow it with ACL SETUSER",
                isPermanent: true)
        case "WRONGTYPE":
            let key = key.map { "the value of \($0) in \(server)" } ?? "the key in \(server)"
            return RedisClientError(
                .damaged, "\(key) isn't a hash, so it isn't a brain; it was left unchanged",
                fix: "rename the key, or set another prefix")
        case "READONLY":
            return RedisClientError(
                .readOnly, "\(server) is a read-only replica",
                fix: "use the URL of the master or of the Sentinels")
        case "LOADING":
            return RedisClientError(.unavailable, "\(server) is still loading its data")
        case "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN":
            return RedisClientError(.unavailable, "\(server) can't answer now: \(words)")
        case "BUSY":
            return RedisClientError(
                .busy, "\(server) is blocked by another client's script", fix: "stop it with SCRIPT KILL")
        case "NOREPLICAS":
            return RedisClientError(.unavailable, "\(server) has too few replicas to accept writes")
        case "OOM":
            return RedisClientError(
                .full, "\(server) is out of memory", fix: "raise its maxmemory, or delete data")
        case "MISCONF":
            return RedisClientError(
                .failed, "\(server) can't save to its disk, so it refuses writes", fix: "see Redis's log")
        case "MOVED", "ASK", "CROSSSLOT":
            return RedisClientError(
                .unavailable,
                "\(server) is a cluster node, and clusters aren't supported", fix: "use a single server",
                isPermanent: true)
        case "ERR" where words.contains("max number of clients"):
            return RedisClientError(
                .unavailable, "\(server) has reached its limit of clients", fix: "raise its maxclients")
        case "ERR" where words.hasPrefix("AUTH <password> called without") || words.contains("no password is set"):
            return RedisClientError(
                .refused,
                "\(server) requires no password, but the settings contain one",
                fix: "remove \(server.isSentinel ? "the Sentinels' password" : "the password from the URL"), "
                    + "or set requirepass in \(server.kind)",
                isPermanent: true)
        case "ERR" where server.isSentinel && words.contains("unknown command"):
            return RedisClientError(
                .unavailable, "\(server.endpoint) isn't a Sentinel",
                fix: "use the Sentinels' port, or redis:// for a single server",
                isPermanent: true)
        case "ERR" where words.contains("DB index"):
            return RedisClientError(
                .unavailable, "\(server) has no database with that number", fix: "check the number in the URL",
                isPermanent: true)
        default:
            return RedisClientError(.failed, "\(server) reports: \(code) \(words)")
        }
    }
}
