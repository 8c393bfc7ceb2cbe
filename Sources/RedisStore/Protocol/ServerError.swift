import Heybot
import HeybotSockets

/// An error the server answers with: `WRONGTYPE Operation against a key holding the wrong kind of value`.
struct ServerError: Error, Hashable, Sendable {
    /// Its first word, which says of what kind it is.
    let code: String
    /// The rest, in the server's words.
    let words: String

    /// Reads the text of an error.
    init(_ text: String) {
        // What fails within a script is, before Redis 7, the script's error, with the real one behind a dash.
        let inner = text.hasPrefix("ERR Error running script") ? text.firstRange(of: ": -") : nil
        let whole = inner.map { text[$0.upperBound...] } ?? text[...]
        let parts = whole.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        code = parts.first.map(String.init) ?? ""
        // What was sent is quoted behind that, a password too.
        let words = parts.count > 1 ? parts[1] : ""
        self.words = String(words.firstRange(of: ", with args").map { words[..<$0.lowerBound] } ?? words)
    }

    /// What stands for an answer that is longer than we read.
    static let tooLong = ServerError("TOOLONG")

    /// Whether the server won't do anything of ours for a while, or isn't the right one any more: nothing was done, and
    /// it's to be asked again, which a connection made again does.
    var meansAway: Bool {
        ["READONLY", "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "CLUSTERDOWN"].contains(code)
    }

    /// Whether the script isn't known to this server yet.
    var meansNoScript: Bool { code == "NOSCRIPT" }

    /// What it means to whoever asked for something.
    ///
    /// - Parameters:
    ///   - server: Who answered so.
    ///   - key: The key that it was about, if there's one.
    func trouble(at server: Server, key: String? = nil) -> Trouble {
        switch code {
        case "WRONGPASS":
            return Trouble(.refused, "\(server) refuses the password", cure: "check \(server.login)", isLasting: true)
        case "NOAUTH":
            return Trouble(.refused, "\(server) wants a password", cure: "set \(server.login)", isLasting: true)
        case "DENIED":
            return Trouble(
                .refused, "\(server) only talks to its own machine",
                cure: "give it a password, or set its protected-mode",
                isLasting: true)
        case "TOOLONG":
            let key = key.map { "what \(server) has at \($0)" } ?? "an answer of \(server)"
            return Trouble(.tooLong, "\(key) is longer than any memory of ours; it was left as it is")
        case "NOPERM":
            return Trouble(
                .refused, "\(server) doesn't let its user do this (\(words))", cure: "allow it with ACL SETUSER",
                isLasting: true)
        case "WRONGTYPE":
            let key = key.map { "what \(server) has at \($0)" } ?? "that key of \(server)"
            return Trouble(
                .damaged, "\(key) isn't a hash, so no brain of ours; it was left as it is", cure: "move it away")
        case "READONLY":
            return Trouble(
                .readOnly, "\(server) is a replica that takes no writes",
                cure: "give the master's URL, or the Sentinels'")
        case "LOADING":
            return Trouble(.unavailable, "\(server) is still loading its data")
        case "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN":
            return Trouble(.unavailable, "\(server) can't answer now: \(words)")
        case "BUSY":
            return Trouble(
                .busy, "\(server) is busy with a script of somebody's that doesn't end", cure: "see SCRIPT KILL")
        case "NOREPLICAS":
            return Trouble(.unavailable, "\(server) has too few replicas to take a write")
        case "OOM":
            return Trouble(
                .full, "\(server) has used up its memory", cure: "raise its maxmemory, or take something out")
        case "MISCONF":
            return Trouble(.failed, "\(server) can't save to its disk, so it takes no writes", cure: "see its own log")
        case "MOVED", "ASK", "CROSSSLOT":
            return Trouble(
                .unavailable,
                "\(server) is a node of a cluster, which a brain can't be spread over", cure: "give a single server",
                isLasting: true)
        case "ERR" where words.contains("max number of clients"):
            return Trouble(.unavailable, "\(server) has as many clients as it may", cure: "raise its maxclients")
        case "ERR" where words.hasPrefix("AUTH <password> called without") || words.contains("no password is set"):
            return Trouble(
                .refused,
                "\(server) has no password, but one is set",
                cure: "take it out of \(server.login), or set its requirepass",
                isLasting: true)
        case "ERR" where server.isSentinel && words.contains("unknown command"):
            return Trouble(
                .unavailable, "\(server) is none", cure: "give the Sentinels' port, or redis:// for a single server",
                isLasting: true)
        case "ERR" where words.contains("DB index"):
            return Trouble(
                .unavailable, "\(server) has no database of that number", cure: "check the one in the URL",
                isLasting: true)
        default:
            return Trouble(.failed, "\(server) says: \(code) \(words)")
        }
    }
}

/// Why something can't be had of the server now.
struct Trouble: Error, Hashable, Sendable {
    /// Names the server and the cure.
    let storeError: StoreError
    /// Whether only a person can mend it, so that waiting is of no use.
    let isLasting: Bool

    init(_ storeError: StoreError, isLasting: Bool = false) {
        self.storeError = storeError
        self.isLasting = isLasting
    }

    init(_ code: StoreError.Code, _ reason: String, cure: String? = nil, isLasting: Bool = false) {
        self.init(StoreError(code, reason, cure: cure), isLasting: isLasting)
    }

    var code: StoreError.Code { storeError.code }
    /// The server and the cure, in one line.
    var words: String { storeError.description }
}

/// A server by the name that errors call it by.
struct Server: CustomStringConvertible {
    let endpoint: Endpoint
    let isSentinel: Bool

    init(_ endpoint: Endpoint, isSentinel: Bool = false) {
        self.endpoint = endpoint
        self.isSentinel = isSentinel
    }

    /// What it is, without where.
    var kind: String { isSentinel ? "the Sentinel" : "Redis" }
    /// Where its password stands.
    var login: String { isSentinel ? "the Sentinels' password" : "user and password in the URL" }

    var description: String { "\(kind) at \(endpoint)" }
}
