package import HeybotSockets

/// Why there is no connection to the network.
package struct ConnectionFailure: Hashable, Sendable, CustomStringConvertible {
    package private(set) var description: String
    /// What has happened, without the suggested fix.
    package let reason: String
    /// Whether reconnecting soon is pointless.
    package let isPermanent: Bool
    /// Whether the server closed the connection without giving a reason.
    package private(set) var isSilentClose = false
    /// The underlying error; nil if the session ended for another reason.
    package private(set) var cause: ConnectionError?

    package init(_ reason: String, fix: String? = nil, isPermanent: Bool = false) {
        self.init(fix.map { "\(reason): \($0)" } ?? reason, reason: reason, isPermanent: isPermanent)
    }

    private init(_ description: String, reason: String, isPermanent: Bool) {
        self.description = description
        self.reason = reason
        self.isPermanent = isPermanent
    }

    package init(_ error: ConnectionError) {
        let isPermanent =
            switch error {
            case .untrusted, .notTLS, .badFiles: true
            default: false
            }
        self.init("\(error)", reason: error.reason, isPermanent: isPermanent)
        cause = error
        if case .lost = error { isSilentClose = true }
    }

    /// Creates a failure that names the option which makes the server's certificate trusted.
    package init(_ error: ConnectionError, _ names: ConnectionOptionNamesInHints) {
        self.init(error)
        switch error {
        case .untrusted(_, _, .unknownAuthority), .untrusted(_, _, .selfSigned):
            description += " (\(names.authority))"
            if let fingerprint = names.fingerprint {
                description += ", or pin the server's certificate (\(fingerprint))"
            }
        default: break
        }
    }

    package static func silentClose(_ description: String) -> ConnectionFailure {
        var failure = ConnectionFailure(description)
        failure.isSilentClose = true
        return failure
    }
}
