extension Titles {
    /// The title of an HTML page, made safe for chat: its `title`, or else its `og:title` (https://ogp.me).
    struct PageTitle {
        let text: String

        /// Finds the title; nil if the page has none.
        ///
        /// The time is linear in the page's length.
        init?(html: String) {
            let html = Array(html.utf8)
            let page = HTMLScanner(bytes: html, folded: html.map(HTMLScanner.folded))
            let candidates = [page.title, page.openGraphTitle].lazy.compactMap { $0 }
                .map { String(oneLine: String(plainHTML: $0), limit: 150) }
            guard let text = candidates.first(where: { !$0.isEmpty }) else { return nil }
            self.text = text
        }
    }

    private struct HTMLScanner {
        /// The number of bytes of a title or a tag that are considered.
        private static let longest = 2_000

        let bytes: [UInt8]
        /// The bytes with ASCII letters in lower case.
        let folded: [UInt8]

        static func folded(_ byte: UInt8) -> UInt8 {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }

        var title: String? {
            guard let tag = tag("<title", from: 0) else { return nil }
            let rest = folded[tag.upperBound...].prefix(Self.longest)
            let end = rest.firstRange(of: Array("</title".utf8))?.lowerBound ?? rest.endIndex
            return String(decoding: bytes[tag.upperBound..<end], as: UTF8.self)
        }

        var openGraphTitle: String? {
            var position = 0
            while let tag = tag("<meta", from: position) {
                position = tag.upperBound
                if folded[tag].firstRange(of: Array("og:title".utf8)) != nil, let content = content(of: tag) {
                    return content
                }
            }
            return nil
        }

        /// Finds the first tag with a name, from `<` to `>`, or up to the limit.
        private func tag(_ name: String, from start: Int) -> Range<Int>? {
            let name = Array(name.utf8)
            var position = start
            while let found = folded[position...].firstRange(of: name) {
                position = found.upperBound
                // `<titles>` is another tag.
                guard let next = folded[position...].first, " \t\r\n/>".utf8.contains(next) else { continue }
                let rest = folded[position...].prefix(Self.longest)
                return found.lowerBound..<(rest.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? rest.endIndex)
            }
            return nil
        }

        /// Returns the quoted value of `content=`.
        private func content(of tag: Range<Int>) -> String? {
            guard let name = folded[tag].firstRange(of: Array("content=".utf8)),
                let quote = folded[name.upperBound..<tag.upperBound].first, "\"'".utf8.contains(quote)
            else { return nil }
            let value = bytes[(name.upperBound + 1)..<tag.upperBound].prefix { $0 != quote }
            return String(decoding: value, as: UTF8.self)
        }
    }
}
