import Heybot

/// Commands that help doesn't tell, though they work.
struct HiddenCommands: Sendable {
    private let names: Set<String>

    /// Reads commands with commas between them: the words that each begins with, or all of one that begins with `<`.
    init(_ list: String?) {
        names = Set((list ?? "").split(separator: ",").map { Self.name(of: String($0)) }.filter { !$0.isEmpty })
    }

    /// Those that help does tell.
    func shown(_ offers: [Offer]) -> [Offer] { offers.filter { !include($0.line.usage) } }

    func include(_ usage: String) -> Bool { names.contains(Self.name(of: usage)) }

    private static func name(of usage: String) -> String {
        let head = HelpText.head(of: usage)
        return head.isEmpty ? String(oneLine: usage.lowercased(), limit: 200) : head
    }
}
