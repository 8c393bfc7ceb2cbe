package import HeybotXMPP
package import NetworkAdapter

extension XMPPAdapter {
    /// The names of options in errors and warnings: the names of the properties, unless options are set under other names,
    /// such as environment variables.
    package struct OptionNamesInHints: Hashable, Sendable {
        package var address = "address"
        package var password = "password"
        package var server = "host"
        package var port = "port"
        package var usesDirectTLS = "isDirectTLS"
        /// How to enable encryption.
        package var encrypt = "unset usesNoTLS"
        /// How to disable encryption.
        package var decrypt = "set usesNoTLS=true"
        package var authority = "authorityFile"
        package var nick = "nick"
        package var rooms = "rooms"
        package var contacts = "contacts"

        /// Uses the names of the properties.
        package init() {}
    }
}

extension XMPPAdapter.OptionNamesInHints: SessionOptionNamesInHints {
    package func fix(_ entry: LogEntry) -> String? {
        switch entry {
        case .contactRejected: "see \(contacts)"
        default: nil
        }
    }

    /// Returns what to do about the end of a session; nil if there is nothing in particular.
    func fix(_ disconnectReason: DisconnectReason) -> String? {
        switch disconnectReason {
        case .noTLS: disconnectReason.fix.map { "\($0), or \(decrypt) if the network is trusted" }
        default: disconnectReason.fix
        }
    }

    package var connection: ConnectionOptionNamesInHints {
        ConnectionOptionNamesInHints(
            server: server, port: port, authority: authority, fingerprint: nil, encrypt: encrypt, decrypt: decrypt)
    }
}
