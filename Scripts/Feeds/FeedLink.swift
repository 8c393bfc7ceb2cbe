import Heybot

extension Feeds {
    /// The feed that a web page links to (https://www.rssboard.org/rss-autodiscovery).
    enum FeedLink {
        /// The number of bytes of a page, and of a tag, that are considered.
        private static let longest = (page: 200_000, tag: 1_000)
        private static let mostTags = 100
        private static let types: Set<String> = [
            "application/rss+xml", "application/atom+xml", "application/feed+json"
        ]

        /// Returns the address of a page's first feed; nil if it links to none.
        ///
        /// - Parameter page: The page's own address.
        static func address(in html: String, of page: String) -> String? {
            for tag in tags(in: Array(html.utf8.prefix(longest.page))) {
                let attributes = attributes(of: tag)
                let relations = attributes["rel"]?.lowercased().split(separator: " ") ?? []
                guard relations.contains("alternate"), types.contains(attributes["type"]?.lowercased() ?? ""),
                    let link = attributes["href"]?.replacing("&amp;", with: "&"),
                    let address = absolute(link, page: page)
                else { continue }
                return try? FeedClient.checked(address[...])
            }
            return nil
        }

        /// Returns the texts of the first tags `<link …>`.
        private static func tags(in bytes: [UInt8]) -> [String] {
            var tags: [String] = []
            var position = 0
            while tags.count < mostTags, let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
                position = start + 1
                let name = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
                guard name.lowercased() == "link" else { continue }
                let rest = bytes[position...].prefix(longest.tag)
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { continue }
                tags.append(String(decoding: rest[..<end], as: UTF8.self))
                position = end
            }
            return tags
        }

        /// Returns the attributes of a tag, with their names in lower case; of the same name, the first one counts.
        private static func attributes(of tag: String) -> [String: String] {
            var attributes: [String: String] = [:]
            let pattern =
                /(?:^|\s)(?<name>[A-Za-z-]{1,20})\s{0,20}=\s{0,20}(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>[^\s"']+))/
            for match in tag.matches(of: pattern) {
                let name = match.name.lowercased()
                let value = match.double ?? match.single ?? match.bare ?? ""
                if attributes[name] == nil { attributes[name] = String(value) }
            }
            return attributes
        }

        /// Returns a complete address, also of a link that is relative to the page's path.
        private static func absolute(_ link: String, page: String) -> String? {
            if let address = FeedHeadline.absolute(link, base: page) { return address }
            let path = page.prefix { !"?#".contains($0) }
            guard let first = link.first, !"/?#".contains(first), !link.contains(":"),
                let scheme = path.firstRange(of: "://")
            else { return nil }
            let folder = path[scheme.upperBound...].lastIndex(of: "/").map { String(path[...$0]) } ?? "\(path)/"
            return checkedWebURL("\(folder)\(FeedHeadline.encoded(link))")
        }
    }
}
