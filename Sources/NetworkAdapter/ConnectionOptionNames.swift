import HeybotSockets

/// What the options of an adapter are called when an error or a warning says which one to change.
package protocol SessionOptionNames<Note>: Sendable {
    associatedtype Note: SessionNote

    /// Those of the connection.
    var connection: ConnectionOptionNames { get }
    /// What to change because of a note; nil if nothing can be changed.
    func fix(_ note: Note) -> String?
}

/// What the options of a connection are called when an error says which one to change.
package struct ConnectionOptionNames: Sendable {
    /// Where the server is.
    let server: String
    let port: String
    /// Whose signature makes a server believed.
    let authority: String
    /// The only certificate to believe; nil if that can't be set.
    let fingerprint: String?
    /// What to do to have the connection encrypted.
    let encrypt: String
    /// What to do to have it not encrypted.
    let decrypt: String

    package init(
        server: String, port: String, authority: String, fingerprint: String?, encrypt: String, decrypt: String
    ) {
        (self.server, self.port) = (server, port)
        (self.authority, self.fingerprint) = (authority, fingerprint)
        (self.encrypt, self.decrypt) = (encrypt, decrypt)
    }

    /// What to do if the server can't be reached.
    var place: String { "check \(server) and \(port), and that the server is up" }

    /// What to do if it isn't encrypted.
    var missingTLS: String { "check that the server speaks TLS at \(port); where it has none, \(decrypt)" }

    /// What to do if the connection can't be had.
    func cure(_ error: ConnectionError) -> String {
        switch error {
        case .unknownHost: "check \(server), and that name servers can be reached"
        case .unreachable, .closed, .cancelled: place
        case .slow(_, .lookingUp, _): "check that this machine's name servers can be reached, those in /etc/resolv.conf"
        case .slow(_, .connecting, _): "\(place), with no firewall in between"
        case .slow(_, .handshaking, _), .notTLS, .lost: missingTLS
        case .handshake: "see what TLS the server wants; where it has none, \(decrypt)"
        case .badFiles: "check the files that are set for TLS"
        case .untrusted(_, _, let reason): cure(reason)
        }
    }

    private func cure(_ reason: ConnectionError.Reason) -> String {
        let pinned = fingerprint.map { ", or \($0) to its fingerprint" } ?? ""
        return switch reason {
        case .expired: "have the server's owner renew it"
        case .notYetValid: "check this machine's clock"
        case .unknownAuthority: "where it is your own, set \(authority) to its authority's file\(pinned)"
        case .selfSigned: "where it is your own, set \(authority) to its file\(pinned)"
        case .wrongName: "set \(server) to a name it is for, or have the server's owner get one for this name"
        case .wrongFingerprint:
            "where the server has a new one, set \(fingerprint ?? authority) to it; else somebody may be in between"
        case .other: "have the server's owner look at it, or set \(authority)\(pinned)"
        }
    }
}
