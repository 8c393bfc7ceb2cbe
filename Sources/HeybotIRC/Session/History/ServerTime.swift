import FoundationEssentials

/// A time by the server's clock (IRCv3 server-time).
struct ServerTime: Comparable, Hashable, Sendable {
    /// The time as servers write it: `2026-11-21T19:00:00.000Z`.
    let text: String
    private let date: Date

    /// Parses a time; nil if it is written otherwise.
    init?(_ text: String) {
        guard text.utf8.count == 24, let date = try? Date(text, strategy: Self.style) else { return nil }
        (self.text, self.date) = (text, date)
    }

    private init(_ date: Date) { (text, self.date) = (date.formatted(Self.style), date) }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func < (one: Self, other: Self) -> Bool { one.date < other.date }

    /// The whole seconds since 1970.
    var seconds: Int { Int(date.timeIntervalSince1970.rounded(.down)) }

    /// Returns the time so much later, or earlier if it is negative.
    func advanced(by period: Duration) -> Self { Self(date.addingTimeInterval(period / .seconds(1))) }
}
