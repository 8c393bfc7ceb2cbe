import HeybotXMPP
import NetworkAdapter

extension XMPPAdapter {
    /// What the options of a configuration are called when an error or a warning says which one to change: the properties'
    /// names, unless people set them by others, such as environment variables.
    public struct OptionNames: Hashable, Sendable {
        public var address = "profile.address"
        public var password = "profile.password"
        public var server = "server"
        public var port = "server"
        public var usesDirectTLS = "isDirectTLS"
        /// What to do to have the connection encrypted.
        public var encrypt = "set profile.usesTLS"
        /// What to do to have the connection not encrypted.
        public var decrypt = "set profile.usesTLS=false"
        public var authority = "trust"
        public var nick = "profile.nick"
        public var rooms = "profile.rooms"
        public var contacts = "profile.contacts"

        /// Names the properties.
        public init() {}
    }
}

extension XMPPAdapter.OptionNames {
    /// What to change because of a note; nil if nothing can be changed.
    func fix(_ note: Note) -> String? {
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

    var connection: ConnectionOptionNames {
        ConnectionOptionNames(
            server: server, port: port, authority: authority, fingerprint: nil, encrypt: encrypt, decrypt: decrypt)
    }
}
