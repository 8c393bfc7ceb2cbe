/// Why a connection can't be had, or is no more; described in one line that names what it is about and the cure.
package enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A part of opening a connection, each with a deadline of its own.
    package enum Phase: Hashable, Sendable {
        /// Asking name servers for the host's addresses.
        case lookingUp
        /// TCP; its deadline began with looking up.
        case connecting
        /// TLS.
        case handshaking
    }

    /// Which check the server's certificate failed.
    package enum Reason: Hashable, Sendable {
        /// It was valid once.
        case expired
        /// It will be valid, unless this machine's clock is wrong.
        case notYetValid
        /// No valid signatures lead from it to an authority that is trusted.
        case unknownAuthority
        /// It is signed by itself, and not among the authorities.
        case selfSigned
        /// It is for other names or addresses; nil if they can't be told.
        case wrongName(presented: [String]?)
        /// It isn't the pinned one.
        case wrongFingerprint(found: Fingerprint)
        /// Something else, in words.
        case other(String)
    }

    /// The host has no address, or no name server answers; it may pass.
    case unknownHost(String)
    /// No address of the host takes the connection; the reason is in plain words, like "connection refused".
    case unreachable(Endpoint, reason: String)
    /// It took longer than it may.
    case slow(Endpoint, Phase, Duration)
    /// The server couldn't prove that it is the one of this name.
    case untrusted(Endpoint, name: String, Reason)
    /// What answers doesn't speak TLS.
    case notTLS(Endpoint)
    /// TLS failed in another way; among them, that the server refuses our certificate, or wants one.
    case handshake(Endpoint, reason: String)
    /// The connection broke after it was open.
    case lost(reason: String)
    /// We closed it.
    case closed
    /// The task was cancelled; an open connection is still open.
    case cancelled
    /// A file that TLS needs doesn't do.
    case badFiles(TLSFileError)

    /// One line, for people.
    package var description: String { cure.map { reason + joint + $0 } ?? reason }

    /// What is wrong, without what can be done about it.
    package var reason: String { parts.reason }

    /// What can be done about it; nil if there is nothing to name.
    package var cure: String? { parts.cure }

    /// What joins the two in one line.
    package var joint: String {
        switch self {
        case .untrusted(_, _, .unknownAuthority), .untrusted(_, _, .selfSigned): "; "
        default: ": "
        }
    }

    private var parts: (reason: String, cure: String?) {
        switch self {
        case .unknownHost(let host):
            ("there is no address for \(host)", "check the name, and that name servers can be reached")
        case .unreachable(let endpoint, let reason) where endpoint.path != nil:
            (
                "\(endpoint) can't be reached (\(reason))",
                "check that the server is up, and that its socket is there and ours to use"
            )
        case .unreachable(let endpoint, let reason):
            ("\(endpoint) can't be reached (\(reason))", "check host and port, and that the server is up")
        case .slow(let endpoint, .lookingUp, let time):
            (
                "\(endpoint) can't be reached: no name server told its address within \(time)",
                "check that this machine's name servers can be reached, those in /etc/resolv.conf"
            )
        case .slow(let endpoint, .connecting, let time):
            (
                "\(endpoint) didn't answer within \(time)",
                "check host and port, and that no firewall is in between"
            )
        case .slow(let endpoint, .handshaking, let time):
            (
                "\(endpoint) didn't finish TLS's handshake within \(time)",
                "check that it speaks TLS at this port"
            )
        case .untrusted(let endpoint, let name, let reason):
            ("\(endpoint) can't be trusted: its certificate\(reason.words(name))", reason.cure)
        case .notTLS(let endpoint):
            ("\(endpoint) doesn't speak TLS", "give its port for TLS, or connect without")
        case .handshake(let endpoint, let reason): ("\(endpoint) and we can't agree on TLS: \(reason)", nil)
        case .lost(let reason): ("the connection was lost: \(reason)", nil)
        case .closed: ("the connection is closed", nil)
        case .cancelled: ("it was cancelled", nil)
        case .badFiles(let error): (error.description, nil)
        }
    }
}

extension ConnectionError.Reason {
    fileprivate func words(_ name: String) -> String {
        switch self {
        case .expired: " has expired"
        case .notYetValid: " isn't valid yet"
        case .unknownAuthority: " is signed by nobody we know"
        case .selfSigned: " is signed by itself"
        case .wrongName(let presented?) where !presented.isEmpty:
            " is for \(presented.prefix(5).joined(separator: ", "))\(presented.count > 5 ? ", …" : ""), not \(name)"
        case .wrongName: " isn't for \(name)"
        case .wrongFingerprint(let found): "'s fingerprint is \(found), not the one that is pinned"
        case .other(let words): ": \(words)"
        }
    }

    /// Nil if there is none to name.
    fileprivate var cure: String? {
        switch self {
        case .expired: "its owner must renew it"
        case .notYetValid: "check this machine's clock"
        case .unknownAuthority: "if it is your own, give its authority's file"
        case .selfSigned: "if it is your own, give its file"
        case .wrongName, .wrongFingerprint, .other: nil
        }
    }
}
