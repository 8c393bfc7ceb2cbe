package import FoundationEssentials
package import Heybot
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
    /// What it comes from, if that is the connection.
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

/// How we stand with a network, and what was told of that already.
package struct Standing: Sendable {
    package private(set) var status = AdapterStatus.starting
    /// Since when we have been where we want to be.
    package private(set) var settledAt: Duration?
    /// What was told since all was well last.
    private var told: Set<Trouble> = []
    private let date: @Sendable () -> Date

    package init(date: @escaping @Sendable () -> Date) {
        self.date = date
    }

    /// A visit begins.
    package mutating func begin() { settledAt = nil }

    /// We are where we want to be.
    package mutating func settle(at now: Duration) {
        status = .up(since: date())
        settledAt = now
        told = []
    }

    /// We aren't any more, or not yet; false if that was told already, since all was well last.
    package mutating func fail(_ trouble: Trouble) -> Bool {
        status.markDown(trouble.description, at: date())
        return told.count < 100 && told.insert(trouble).inserted
    }
}
