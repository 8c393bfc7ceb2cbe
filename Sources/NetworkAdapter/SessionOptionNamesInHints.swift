import HeybotSockets

/// The names of an adapter's options in errors and warnings that suggest a change.
package protocol SessionOptionNamesInHints<LogEntry>: Sendable {
    associatedtype LogEntry: SessionLogEntry

    /// The names of the connection's options.
    var connection: ConnectionOptionNamesInHints { get }
    /// The fix to suggest with a log entry; nil if there is none.
    func fix(_ entry: LogEntry) -> String?
}

/// The names of a connection's options in errors that suggest a change.
package struct ConnectionOptionNamesInHints: Sendable {
    /// The server's host.
    let server: String
    let port: String
    /// The certificate authority's file.
    let authority: String
    /// The pinned certificate; nil if pinning isn't supported.
    let fingerprint: String?
    /// How to enable encryption.
    let encrypt: String
    /// How to disable encryption.
    let decrypt: String

    package init(
        server: String, port: String, authority: String, fingerprint: String?, encrypt: String, decrypt: String
    ) {
        (self.server, self.port) = (server, port)
        (self.authority, self.fingerprint) = (authority, fingerprint)
        (self.encrypt, self.decrypt) = (encrypt, decrypt)
    }

    /// The fix if the server can't be reached.
    var place: String { "check \(server) and \(port), and that the server is up" }

    /// The fix if encryption fails.
    var missingTLS: String {
        "check that the server speaks TLS on the port set by \(port); if it doesn't support TLS, \(decrypt)"
    }

    /// Returns the fix for a connection error.
    func fix(_ error: ConnectionError) -> String {
        switch error {
        case .unknownHost: "check \(server), and that name servers can be reached"
        case .unreachable, .closed, .cancelled: place
        case .timedOut(_, .lookingUp, _):
            "check that the name servers in /etc/resolv.conf can be reached"
        case .timedOut(_, .connecting, _): "\(place), and that no firewall blocks it"
        case .timedOut(_, .handshaking, _), .notTLS, .lost: missingTLS
        case .handshake: "check which TLS versions the server supports; if it doesn't support TLS, \(decrypt)"
        case .badFiles: "check the configured TLS files"
        case .untrusted(_, _, let reason): fix(reason)
        }
    }

    private func fix(_ reason: ConnectionError.CertificateProblem) -> String {
        let pinned = fingerprint.map { ", or \($0) to the fingerprint of the server's certificate" } ?? ""
        return switch reason {
        case .expired: "ask the server's owner to renew the certificate"
        case .notYetValid: "check this machine's clock"
        case .unknownAuthority: "if the server is your own, set \(authority) to the file of its CA certificate\(pinned)"
        case .selfSigned: "if the server is your own, set \(authority) to the file of its certificate\(pinned)"
        case .wrongName:
            "set \(server) to a name that the certificate is for, or ask the server's owner for a certificate for the current name"
        case .wrongFingerprint:
            "if the server has a new certificate, set \(fingerprint ?? authority) to its fingerprint; otherwise the connection may be intercepted"
        case .other:
            "ask the server's owner to check the certificate, or set \(authority) to the file of its CA certificate\(pinned)"
        }
    }
}
