extension Webhooks {
    /// Makes a foreign text safe for chat as `String(oneLine:limit:)` does, and without mentions of everyone.
    ///
    /// - Parameter limit: The maximum number of characters, at least one.
    static func safeLine(_ text: some StringProtocol, limit: Int) -> String {
        isSafeAlready(text, limit: limit)
            ? String(text) : withoutMentionsOfEveryone(String(oneLine: text, limit: limit))
    }

    /// Whether a text is ASCII in which nothing has to change, as most texts in large payloads are.
    private static func isSafeAlready(_ text: some StringProtocol, limit: Int) -> Bool {
        guard text.utf8.count <= limit else { return false }
        var isAfterSpace = true
        for byte in text.utf8 {
            let isSpace = byte == UInt8(ascii: " ")
            let canMention = byte == UInt8(ascii: "@") || byte == UInt8(ascii: "<")
            guard 0x20...0x7E ~= byte, !canMention, !(isSpace && isAfterSpace) else { return false }
            isAfterSpace = isSpace
        }
        return !isAfterSpace
    }

    /// What precedes the word in a mention; the second is a fullwidth `@`.
    private static let mentionMarkers = ["@", "＠", "<!"].map { Array($0.utf8) }

    /// Removes what makes a mention of everyone one.
    ///
    /// On some services, `@everyone`, `@here`, `@channel` or Slack's `<!channel>` notify everyone in a room.
    private static func withoutMentionsOfEveryone(_ line: String) -> String {
        let bytes = Array(line.utf8)
        var kept: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let start = place
            while let marker = mentionMarkers.first(where: { bytes[place...].starts(with: $0) }) {
                place += marker.count
            }
            if place == start {
                kept.append(bytes[place])
                place += 1
            } else if !meansEveryone(bytes[place...]) {
                kept += bytes[start..<place]
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Whether what follows a marker begins with a word for everyone.
    private static func meansEveryone(_ rest: ArraySlice<UInt8>) -> Bool {
        let letters = rest.prefix(20).map { $0 | 0x20 }.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let word = String(decoding: letters, as: UTF8.self)
        return word.hasPrefix("everyone") || word.hasPrefix("here")
            || ["channel", "all", "room", "group"].contains(word)
    }
}
