package import Sockets

/// Why we aren't on the network.
package struct Trouble: Hashable, Sendable, CustomStringConvertible {
    package private(set) var description: String
    /// Whether it will be the same soon.
    package let isLasting: Bool
    /// Whether the server cut the connection without a word.
    package private(set) var isCut = false
    /// What it comes from, where that is the connection.
    package private(set) var cause: ConnectionError?

    package init(_ description: String, isLasting: Bool = false) {
        self.description = description
        self.isLasting = isLasting
    }

    package init(_ error: ConnectionError) {
        let isLasting =
            switch error {
            case .untrusted, .notTLS, .badFiles: true
            default: false
            }
        self.init("\(error)", isLasting: isLasting)
        cause = error
        if case .lost = error { isCut = true }
    }

    /// - Parameter authoritySetting: The setting that says whose signature makes a server believed.
    package init(_ error: ConnectionError, authoritySetting: String) {
        self.init(error)
        switch error {
        case .untrusted(_, _, .unknownAuthority), .untrusted(_, _, .selfSigned): description += " (\(authoritySetting))"
        default: break
        }
    }

    package static func cut(_ description: String) -> Trouble {
        var trouble = Trouble(description)
        trouble.isCut = true
        return trouble
    }
}
