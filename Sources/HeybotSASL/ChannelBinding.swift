/// A value that identifies the encrypted connection on which a login takes place (RFC 5056).
///
/// If the client's value differs from the server's, somebody between them has two connections. Descriptions omit the value.
package struct ChannelBinding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a value; its raw value is the name that is registered for it.
    package enum Kind: String, Hashable, Sendable {
        /// A value that only the two ends of a TLS connection can derive (RFC 9266).
        case exporter = "tls-exporter"
        /// The hash of the server's certificate (RFC 5929 section 4).
        case serverEndPoint = "tls-server-end-point"
    }

    /// The kind of the value.
    package let kind: Kind
    let value: [UInt8]

    /// Creates a binding from the connection's value.
    package init(_ kind: Kind, _ value: [UInt8]) {
        self.kind = kind
        self.value = value
    }

    /// The name of the kind, without the value.
    package var description: String { kind.rawValue }
}

/// What a SCRAM client tells the server about channel binding (RFC 5802 section 6).
package enum ChannelBindingUse: Hashable, Sendable {
    /// The client can't bind the login, or not in a way that the server announces.
    case impossible
    /// The client could bind the login, but the server doesn't offer that.
    ///
    /// A server that does offer it refuses the login: somebody has changed its offer.
    case notOffered
    /// The login is bound to the connection.
    case bound(ChannelBinding)

    /// The GS2 header, without an authorization identity.
    var header: [UInt8] {
        switch self {
        case .impossible: Array("n,,".utf8)
        case .notOffered: Array("y,,".utf8)
        case .bound(let binding): Array("p=\(binding.kind.rawValue),,".utf8)
        }
    }

    /// The value that the login is bound to; empty if it isn't.
    var value: [UInt8] {
        if case .bound(let binding) = self { binding.value } else { [] }
    }
}
