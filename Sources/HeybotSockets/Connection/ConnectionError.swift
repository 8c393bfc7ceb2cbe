/// Why a connection can't be opened, or has ended.
///
/// The description is one line with the endpoint, the reason and a fix.
package enum ConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A phase of opening a connection, each with a timeout.
    package enum Phase: Hashable, Sendable {
        /// Looking up the host's addresses.
        case lookingUp
        /// Connecting by TCP; its timeout includes the lookup.
        case connecting
        /// The TLS handshake.
        case handshaking
    }

    /// Which check the server's certificate failed.
    package enum CertificateProblem: Hashable, Sendable {
        /// It has expired.
        case expired
        /// It isn't valid yet, or this machine's clock is wrong.
        case notYetValid
        /// No chain of valid signatures leads to a trusted authority.
        case unknownAuthority
        /// It is self-signed and not a trusted authority.
        case selfSigned
        /// It is for other names or addresses; nil if they can't be read.
        case wrongName(presented: [String]?)
        /// It isn't the pinned certificate.
        case wrongFingerprint(found: Fingerprint)
        /// Another reason, as text.
        case other(String)
    }

    /// The host has no address, or no name server answers; may be temporary.
    case unknownHost(String)
    /// No address of the host accepts the connection; the reason is text, such as "connection refused".
    case unreachable(Endpoint, reason: String)
    /// A phase took too long.
    case timedOut(Endpoint, Phase, Duration)
    /// The server's certificate isn't trusted for this name.
    case untrusted(Endpoint, name: String, CertificateProblem)
    /// The server doesn't speak TLS at this port.
    case notTLS(Endpoint)
    /// TLS failed for another reason, for example because the server requires or rejects a client certificate.
    case handshake(Endpoint, reason: String)
    /// The open connection was lost.
    case lost(reason: String)
    /// The connection was closed by this side.
    case closed
    /// The task was canceled; an open connection stays open.
    case cancelled
    /// A TLS file is missing or invalid.
    case badFiles(TLSFileError)

    /// One line, for logs and users.
    package var description: String { fix.map { reason + joint + $0 } ?? reason }

    /// What is wrong, without the fix.
    package var reason: String { parts.reason }

    /// A suggested fix; nil if there is none.
    package var fix: String? { parts.fix }

    /// The separator between reason and fix.
    package var joint: String {
        switch self {
        case .untrusted(_, _, .unknownAuthority), .untrusted(_, _, .selfSigned): "; "
        default: ": "
        }
    }

    private var parts: (reason: String, fix: String?) {
        switch self {
        case .unknownHost(let host):
            ("can't resolve \(host)", "check the name, and that name servers can be reached")
        case .unreachable(let endpoint, let reason) where endpoint.path != nil:
            (
                "\(endpoint) can't be reached (\(reason))",
                "check that the server is up, and that this user may use its socket"
            )
        case .unreachable(let endpoint, let reason):
            ("\(endpoint) can't be reached (\(reason))", "check host and port, and that the server is up")
        case .timedOut(let endpoint, .lookingUp, let time):
            (
                "\(endpoint) can't be reached: no name server answered within \(time)",
                "check that the name servers in /etc/resolv.conf can be reached"
            )
        case .timedOut(let endpoint, .connecting, let time):
            (
                "\(endpoint) didn't answer within \(time)",
                "check host and port, and that no firewall is in between"
            )
        case .timedOut(let endpoint, .handshaking, let time):
            (
                "\(endpoint) didn't complete the TLS handshake within \(time)",
                "check that the server speaks TLS at this port"
            )
        case .untrusted(let endpoint, let name, let reason):
            ("\(endpoint) can't be trusted: its certificate\(reason.text(name))", reason.fix)
        case .notTLS(let endpoint):
            ("\(endpoint) doesn't speak TLS", "use its TLS port, or connect without TLS")
        case .handshake(let endpoint, let reason): ("TLS handshake with \(endpoint) failed: \(reason)", nil)
        case .lost(let reason): ("the connection was lost: \(reason)", nil)
        case .closed: ("the connection is closed", nil)
        case .cancelled: ("the operation was canceled", nil)
        case .badFiles(let error): (error.description, nil)
        }
    }
}

extension ConnectionError.CertificateProblem {
    fileprivate func text(_ name: String) -> String {
        switch self {
        case .expired: " has expired"
        case .notYetValid: " isn't valid yet"
        case .unknownAuthority: " is signed by an unknown authority"
        case .selfSigned: " is self-signed"
        case .wrongName(let presented?) where !presented.isEmpty:
            " is for \(presented.prefix(5).joined(separator: ", "))\(presented.count > 5 ? ", …" : ""), not \(name)"
        case .wrongName: " isn't for \(name)"
        case .wrongFingerprint(let found): "'s fingerprint is \(found), not the pinned one"
        case .other(let text): " isn't acceptable: \(text)"
        }
    }

    /// Nil if there is none.
    fileprivate var fix: String? {
        switch self {
        case .expired: "the server's owner must renew the certificate"
        case .notYetValid: "check this machine's clock"
        case .unknownAuthority: "if the server is your own, use its CA certificate as the CA file"
        case .selfSigned: "if the server is your own, use its certificate as the CA file"
        case .wrongName, .wrongFingerprint, .other: nil
        }
    }
}
