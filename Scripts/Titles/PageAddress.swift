import Heybot

extension Titles {
    /// The URL of a page, as somebody said it.
    struct PageAddress: Hashable {
        /// In bytes.
        private static let longest = 2_000

        /// Without the fragment.
        let url: String

        /// Those in a text, in their order, each once; ten at most.
        static func all(in text: String) -> [PageAddress] {
            let pattern = /\bhttps?:\/\/[^\s<>"]+/.ignoresCase().wordBoundaryKind(.simple)
            var addresses: [PageAddress] = []
            for match in text.matches(of: pattern).prefix(10) where match.output.utf8.count <= longest {
                let address = PageAddress(url: String(said(match.output).prefix { $0 != "#" }))
                if !addresses.contains(address) { addresses.append(address) }
            }
            return addresses
        }

        /// Without the sentence's own signs behind it; a bracket stays if it was opened inside.
        private static func said(_ text: Substring) -> Substring {
            var text = text
            while let last = text.last {
                let isOfSentence = last == ")" ? !text.contains("(") : ".,;:!?'*_]}>”’»…".contains(last)
                guard isOfSentence else { break }
                text.removeLast()
            }
            return text
        }

        /// As in `“Example Domain” (example.org)`; nil if it is no page with a title.
        func title(_ http: any HTTPClient) async throws -> String? {
            var request = HTTPRequest(
                .get, url, headers: ["Accept": "text/html, application/xhtml+xml", "Range": "bytes=0-262143"],
                reach: .publicOnly)
            // A server need not heed the range; what is longer then has no title.
            request.limit = 256 << 10
            request.deadline = .seconds(8)
            let answer = try await http.send(request).checked()
            let type = answer.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
            guard type == "text/html" || type == "application/xhtml+xml" else { return nil }
            guard let title = PageTitle(html: answer.text)?.text else { return nil }
            let host = HTTPRequest(.get, answer.url).host
            return "“\(title)” (\(String(oneLine: host, limit: 100)))"
        }
    }
}
