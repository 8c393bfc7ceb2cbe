package import HeybotXMPP
package import NetworkAdapter

extension XMPPAdapter {
    /// What the options of a configuration are called when an error or a warning says which one to change: the properties'
    /// names, unless people set them by others, such as environment variables.
    package struct OptionNames: Hashable, Sendable {
        package var address = "address"
        package var password = "password"
        package var server = "host"
        package var port = "port"
        package var usesDirectTLS = "isDirectTLS"
        /// What to do to have the connection encrypted.
        package var encrypt = "unset usesNoTLS"
        /// What to do to have the connection not encrypted.
        package var decrypt = "set usesNoTLS=true"
        package var authority = "authorityFile"
        package var nick = "nick"
        package var rooms = "rooms"
        package var contacts = "contacts"

        /// Names the properties.
        package init() {}
    }
}

extension XMPPAdapter.OptionNames: SessionOptionNames {
    package func fix(_ note: Note) -> String? {
        switch note {
        case .contactRefused: "see \(contacts)"
        default: nil
        }
    }

    /// What to do because a session has ended; nil if there is nothing of its own.
    func fix(_ ending: Ending) -> String? {
        switch ending {
        case .noTLS: ending.cure.map { "\($0), or \(decrypt) where the way to it is safe" }
        default: ending.cure
        }
    }

    package var connection: ConnectionOptionNames {
        ConnectionOptionNames(
            server: server, port: port, authority: authority, fingerprint: nil, encrypt: encrypt, decrypt: decrypt)
    }
}
