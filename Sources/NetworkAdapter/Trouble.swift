package import HeybotSockets

/// Why we aren't on the network.
package struct Trouble: Hashable, Sendable, CustomStringConvertible {
    package private(set) var description: String
    /// What has happened, without what can be done about it.
    package let reason: String
    /// Whether it will be the same soon.
    package let isLasting: Bool
    /// Whether the server cut the connection without a word.
    package private(set) var isCut = false
    /// What it comes from, where that is the connection.
    package private(set) var cause: ConnectionError?

    package init(_ reason: String, cure: String? = nil, isLasting: Bool = false) {
        self.init(cure.map { "\(reason): \($0)" } ?? reason, reason: reason, isLasting: isLasting)
    }

    private init(_ description: String, reason: String, isLasting: Bool) {
        self.description = description
        self.reason = reason
        self.isLasting = isLasting
    }

    package init(_ error: ConnectionError) {
        let isLasting =
            switch error {
            case .untrusted, .notTLS, .badFiles: true
            default: false
            }
        self.init("\(error)", reason: error.reason, isLasting: isLasting)
        cause = error
        if case .lost = error { isCut = true }
    }

    /// Makes one that says which option makes the server believed.
    package init(_ error: ConnectionError, _ names: ConnectionOptionNames) {
        self.init(error)
        switch error {
        case .untrusted(_, _, .unknownAuthority), .untrusted(_, _, .selfSigned):
            description += " (\(names.authority))"
            if let fingerprint = names.fingerprint { description += ", or pin its fingerprint (\(fingerprint))" }
        default: break
        }
    }

    package static func cut(_ description: String) -> Trouble {
        var trouble = Trouble(description)
        trouble.isCut = true
        return trouble
    }
}
