/// What a server can do beyond the oldest protocol, and what of it is switched on (IRCv3 capability negotiation, 302).
struct Capabilities: Sendable {
    /// What we make use of.
    static let wanted = [
        "account-notify", "account-tag", "batch", "cap-notify", "chghost", "draft/channel-rename",
        "echo-message", "extended-join", "invite-notify", "message-tags", "multi-prefix", "sasl", "server-time",
        "setname"
    ]

    /// What came of a `CAP` of the server's.
    enum Step: Equatable {
        /// Nothing yet.
        case none
        /// Ask for these, a line each.
        case request([IRCMessage])
        /// All that was asked for is answered; these were switched on by it.
        case settled(Set<String>)
        /// The server takes these back.
        case withdrawn(Set<String>)
    }

    private(set) var enabled: Set<String> = []
    private(set) var offered: [String: String] = [:]
    private let isWanted: Set<String>
    private var unanswered: Set<String> = []
    private var askedAlone: Set<String> = []
    private var granted: Set<String> = []
    /// A server that offers without end is not listened to without end.
    private static let mostOffered = 500

    /// - Parameter canLogIn: Whether there is anything to log in with.
    init(canLogIn: Bool) {
        isWanted = Set(Self.wanted.filter { canLogIn || $0 != "sasl" })
    }

    func has(_ name: String) -> Bool { enabled.contains(name) }

    /// Takes the parameters of a `CAP`, as they came.
    mutating func receive(_ parameters: [String]) -> Step {
        guard parameters.count >= 3 || parameters.count == 2 && parameters[1] != "*" else { return .none }
        let names = (parameters.count > 2 ? parameters.last ?? "" : "").split(separator: " ").map(String.init)
        switch parameters[1].uppercased() {
        case "LS":
            offer(names)
            return parameters.count > 3 && parameters[2] == "*" ? .none : request(Array(offered.keys))
        case "NEW":
            offer(names)
            return request(names.map { name(of: $0) })
        case "DEL":
            let gone = Set(names)
            offered = offered.filter { !gone.contains($0.key) }
            defer { enabled.subtract(gone) }
            return .withdrawn(enabled.intersection(gone))
        case "ACK": return acknowledge(names)
        case "NAK": return refuse(names)
        default: return .none
        }
    }

    private mutating func offer(_ names: [String]) {
        for text in names where offered.count < Self.mostOffered {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            offered[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    private func name(of text: String) -> String { String(text.prefix { $0 != "=" }) }

    private mutating func request(_ names: [String]) -> Step {
        let names = names.filter { isWanted.contains($0) && !enabled.contains($0) && !unanswered.contains($0) }.sorted()
        guard !names.isEmpty else { return unanswered.isEmpty ? .settled([]) : .none }
        unanswered.formUnion(names)
        // All that we want fits into one line.
        return .request([IRCMessage("CAP", "REQ", names.joined(separator: " "))])
    }

    private mutating func acknowledge(_ names: [String]) -> Step {
        for name in names {
            // Nothing but what we asked for; a minus in front switches off.
            if name.hasPrefix("-") { enabled.remove(String(name.dropFirst())) }
            guard unanswered.remove(name) != nil else { continue }
            enabled.insert(name)
            granted.insert(name)
        }
        return granted.isEmpty ? .none : settle()
    }

    private mutating func refuse(_ names: [String]) -> Step {
        // One that was cut short is about all of them.
        let named = unanswered.intersection(names)
        let refused = named.isEmpty ? unanswered : named
        // One of them may be all that it minds.
        let again = refused.count > 1 ? refused.subtracting(askedAlone).sorted() : []
        askedAlone.formUnion(again)
        unanswered.subtract(refused.subtracting(again))
        if !again.isEmpty { return .request(again.map { IRCMessage("CAP", "REQ", $0) }) }
        return refused.isEmpty ? .none : settle()
    }

    private mutating func settle() -> Step {
        guard unanswered.isEmpty else { return .none }
        defer { granted = [] }
        return .settled(granted)
    }
}
