import Heybot

extension Titles {
    /// The URL of a page in a message.
    struct PageURL: Hashable {
        /// The maximum length in bytes.
        private static let longest = 2_000

        /// The URL without its fragment.
        let url: String

        /// Returns the distinct URLs in a text, in order, at most ten.
        static func all(in text: String) -> [PageURL] {
            let pattern = /\bhttps?:\/\/[^\s<>"]+/.ignoresCase().wordBoundaryKind(.simple)
            var addresses: [PageURL] = []
            for match in text.matches(of: pattern).prefix(10) where match.output.utf8.count <= longest {
                let address = PageURL(url: String(said(match.output).prefix { $0 != "#" }))
                if !addresses.contains(address) { addresses.append(address) }
            }
            return addresses
        }

        /// Removes the sentence's punctuation from the end; a closing parenthesis stays if the URL contains an opening one.
        private static func said(_ text: Substring) -> Substring {
            var text = text
            while let last = text.last {
                let isOfSentence = last == ")" ? !text.contains("(") : ".,;:!?'*_]}>”’»…".contains(last)
                guard isOfSentence else { break }
                text.removeLast()
            }
            return text
        }
    }
}
