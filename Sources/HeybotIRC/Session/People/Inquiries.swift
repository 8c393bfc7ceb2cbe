/// The questions after people's accounts (`WHO` with the extension WHOX), numbered, so that an answer is known to be about
/// whoever has the nick since then.
struct Inquiries: Sendable {
    /// The fields of an answer: token, channel, user, host, nick and account, in this order.
    private static let fields = "%tcuhna"
    /// A token has up to three digits.
    private static let tokens = 1_000
    /// The time within which nobody is asked about twice.
    private static let pause: Duration = .seconds(10)
    private static let mostRemembered = 500

    /// The number of the next inquiry.
    private(set) var next = 1
    private var asked: [String: Duration] = [:]
    /// Whether one has been answered, so that it is known whether the network tells accounts.
    private(set) var isAnswered = false

    /// Whether to ask about somebody or a channel now, by its folded name; false if that was asked a moment ago.
    mutating func admits(_ key: String, at now: Duration) -> Bool {
        if let last = asked[key], now - last < Self.pause { return false }
        if asked.count >= Self.mostRemembered { asked = asked.filter { now - $0.value < Self.pause } }
        guard asked.count < Self.mostRemembered else { return false }
        asked[key] = now
        return true
    }

    /// Somebody is another person now, so may be asked about again.
    mutating func forget(_ key: String) { asked[key] = nil }

    /// A number for a question of another kind.
    mutating func takeNumber() -> Int {
        defer { next += 1 }
        return next
    }

    /// The line that asks about somebody, or about all in a channel.
    mutating func line(about target: String) -> IRCMessage {
        defer { next += 1 }
        return IRCMessage("WHO", target, "\(Self.fields),\(next % Self.tokens)")
    }

    /// Takes the parameters of a 354; nil if it answers none of ours.
    mutating func answer(_ parameters: [String]) -> (
        number: Int, user: String, host: String, nick: String, account: String?
    )? {
        guard parameters.count >= 7, let token = Int(parameters[1]), (0..<Self.tokens).contains(token) else {
            return nil
        }
        // The latest inquiry that had this token.
        let last = next - 1
        let number = last - (last - token) % Self.tokens
        guard number >= 1, number <= last else { return nil }
        isAnswered = true
        let account = parameters[6]
        return (
            number, parameters[3], parameters[4], parameters[5], account == "0" || account == "*" ? nil : account
        )
    }

    /// Takes a 315, which ends an answer.
    mutating func end() { if next > 1 { isAnswered = true } }
}
