import Heybot
import HeybotFeeds

extension Feeds {
    /// An item of a feed, made safe for chat.
    struct FeedHeadline {
        private static let longestTitle = 160

        /// The title, or else the beginning of the summary.
        private let title: String
        private let item: Feed.Item
        /// The address of its page, if it is one of the web.
        private let link: String?

        /// - Parameter base: The feed's address.
        init(_ item: Feed.Item, base: String) {
            self.item = item
            let own = item.title.map { Self.plain($0, limit: Self.longestTitle) } ?? ""
            title = own.isEmpty ? item.summary.map { Self.plain($0, limit: Self.longestTitle) } ?? "" : own
            link = item.link.flatMap { Self.absolute($0, base: base) }
        }

        /// The line to post: title and address.
        var line: String { [title, link ?? ""].filter { !$0.isEmpty }.joined(separator: " - ") }

        /// The texts in which a filter looks for words.
        var searchableTexts: [String] { [title, item.summary.map { Self.plain($0, limit: 1_000) } ?? ""] }

        /// Returns a text of a feed in one line, without markup.
        static func plain(_ text: FeedText, limit: Int) -> String {
            Webhooks.safeLine(text.isHTML ? String(plainHTML: text.text) : text.text, limit: limit)
        }

        /// Returns a complete address; nil if it isn't one of the web, or is relative to the feed's path.
        ///
        /// That path may be secret.
        ///
        /// - Parameters:
        ///   - link: An address that may be relative (RFC 3986 section 4.2), with any characters.
        ///   - base: A complete address.
        static func absolute(_ link: String, base: String) -> String? {
            let link = encoded(link)
            let folded = link.lowercased()
            if folded.hasPrefix("http://") || folded.hasPrefix("https://") { return checkedWebURL(link) }
            guard link.hasPrefix("/"), let scheme = base.firstRange(of: "://") else { return nil }
            if link.hasPrefix("//") { return checkedWebURL("\(base[..<scheme.lowerBound]):\(link)") }
            let host = base[scheme.upperBound...].prefix { !"/?#".contains($0) }
            return checkedWebURL("\(base[..<scheme.upperBound])\(host)\(link)")
        }

        /// Percent-encodes the bytes that an address can't contain (RFC 3987 section 3.1).
        static func encoded(_ link: String) -> String {
            var bytes: [UInt8] = []
            for byte in link.utf8 {
                if 0x21...0x7E ~= byte, !"<>\"".utf8.contains(byte) {
                    bytes.append(byte)
                } else {
                    let digits = String(byte, radix: 16, uppercase: true)
                    bytes += "%\(digits.utf8.count < 2 ? "0" : "")\(digits)".utf8
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
