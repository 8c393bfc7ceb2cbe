/// The capabilities that the server offers and those that are enabled (IRCv3 capability negotiation, version 302).
struct Capabilities: Sendable {
    /// The capabilities that the session uses.
    static let wanted =
        [
            "account-notify", "account-tag", "batch", "cap-notify", "chghost", "draft/channel-rename",
            "draft/multiline", "draft/pre-away", "echo-message", "extended-join", "invite-notify", "labeled-response",
            "message-tags", "multi-prefix", "sasl", "server-time", "setname", "standard-replies"
        ] + withoutNames + extendedMonitor

    /// With one of these, the server lists a channel's members only if it is asked to.
    static let withoutNames = ["draft/no-implicit-names", "no-implicit-names"]

    /// With one of these, the server also reports changes of monitored users.
    static let extendedMonitor = ["draft/extended-monitor", "extended-monitor"]

    /// The capabilities for messages that were missed.
    static let forHistory = ["draft/chathistory", "znc.in/playback"]

    /// The result of handling a `CAP` message.
    enum StepResult: Equatable {
        /// Nothing to do.
        case none
        /// Send these `CAP REQ` messages.
        case request([IRCMessage])
        /// Every request has been answered; these capabilities were enabled by them.
        case ready(Set<String>)
        /// The server has withdrawn these capabilities.
        case withdrawn(Set<String>)
    }

    private(set) var enabled: Set<String> = []
    private(set) var offered: [String: String] = [:]
    private let isWanted: Set<String>
    private var unanswered: Set<String> = []
    private var askedAlone: Set<String> = []
    private var granted: Set<String> = []
    /// Bounds the memory that a hostile server can use.
    private static let maxOffered = 500

    /// - Parameters:
    ///   - canLogIn: Whether there are credentials or a certificate, so that `sasl` is of use.
    ///   - wantsHistory: Whether missed messages are of use.
    init(canLogIn: Bool, wantsHistory: Bool) {
        isWanted = Set(Self.wanted.filter { canLogIn || $0 != "sasl" } + (wantsHistory ? Self.forHistory : []))
    }

    func has(_ name: String) -> Bool { enabled.contains(name) }

    func hasAny(of names: [String]) -> Bool { names.contains { has($0) } }

    /// Handles the parameters of a `CAP` message.
    mutating func receive(_ parameters: [String]) -> StepResult {
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
            let withdrawn = Set(names)
            offered = offered.filter { !withdrawn.contains($0.key) }
            defer { enabled.subtract(withdrawn) }
            return .withdrawn(enabled.intersection(withdrawn))
        case "ACK": return acknowledge(names)
        case "NAK": return refuse(names)
        default: return .none
        }
    }

    private mutating func offer(_ names: [String]) {
        for text in names where offered.count < Self.maxOffered {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            offered[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
    }

    private func name(of text: String) -> String { String(text.prefix { $0 != "=" }) }

    private mutating func request(_ names: [String]) -> StepResult {
        let names = names.filter { isWanted.contains($0) && !enabled.contains($0) && !unanswered.contains($0) }.sorted()
        guard !names.isEmpty else { return unanswered.isEmpty ? .ready([]) : .none }
        unanswered.formUnion(names)
        // All wanted names fit into one message.
        return .request([IRCMessage("CAP", "REQ", names.joined(separator: " "))])
    }

    private mutating func acknowledge(_ names: [String]) -> StepResult {
        for name in names {
            // Only requested capabilities count; a leading minus disables one.
            if name.hasPrefix("-") { enabled.remove(String(name.dropFirst())) }
            guard unanswered.remove(name) != nil else { continue }
            enabled.insert(name)
            granted.insert(name)
        }
        return granted.isEmpty ? .none : completeRequests()
    }

    private mutating func refuse(_ names: [String]) -> StepResult {
        // A truncated NAK names none of the requested capabilities, and refuses them all.
        let named = unanswered.intersection(names)
        let refused = named.isEmpty ? unanswered : named
        // The server may object to only one of them: request each by itself.
        let again = refused.count > 1 ? refused.subtracting(askedAlone).sorted() : []
        askedAlone.formUnion(again)
        unanswered.subtract(refused.subtracting(again))
        if !again.isEmpty { return .request(again.map { IRCMessage("CAP", "REQ", $0) }) }
        return refused.isEmpty ? .none : completeRequests()
    }

    private mutating func completeRequests() -> StepResult {
        guard unanswered.isEmpty else { return .none }
        defer { granted = [] }
        return .ready(granted)
    }
}
