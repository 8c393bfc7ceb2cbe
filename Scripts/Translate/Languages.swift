import Heybot
import Synchronization

extension Translate {
    /// The languages of a LibreTranslate server, loaded once.
    final class LanguageCache: Sendable {
        private let service: String
        private let kept = Mutex<Languages?>(nil)

        init(service: String) {
            self.service = service
        }

        func languages(_ http: any HTTPClient) async throws -> Languages {
            if let languages = kept.withLock({ $0 }) { return languages }
            let languages = Languages(all: try await http.get("\(service)/languages").json([Language].self))
            if !languages.all.isEmpty { kept.withLock { $0 = languages } }
            return languages
        }
    }

    /// A language as LibreTranslate lists it (https://docs.libretranslate.com/api/operations/languages).
    struct Language: Decodable {
        /// The code, as in `fr` or `zh-Hans`.
        let code: String
        let name: String
    }

    struct Languages: Sendable {
        let all: [Language]

        /// Finds a language by its code or English name, or else the first whose name begins with the word, such as `chinese`.
        ///
        /// - Throws: ``Refusal`` if there is none.
        func language(named word: Substring) throws(Refusal) -> Language {
            let word = word.lowercased()
            let language =
                all.first { $0.code.lowercased() == word || $0.name.lowercased() == word }
                ?? all.first { $0.name.lowercased().hasPrefix("\(word) ") }
            guard let language else {
                throw Refusal("The translator doesn't know a language called \(String(oneLine: word, limit: 60)).")
            }
            return language
        }

        /// Removes a preposition and a language from the beginning of a text, and returns the language; nil if the text doesn't
        /// begin with them, or nothing follows.
        ///
        /// - Throws: ``Refusal`` if there is no such language.
        func takeLanguage(after prepositions: Set<String>, from words: inout Substring) throws(Refusal) -> Language? {
            var rest = words
            guard let first = Self.takeWord(from: &rest), prepositions.contains(first.lowercased()) else { return nil }
            // The longest name wins: "Haitian Creole", not "Haitian".
            var (name, found, end) = ([Substring](), Language?.none, rest)
            while name.count < 3, let word = Self.takeWord(from: &rest), !rest.isEmpty {
                name.append(word)
                if let language = language(called: name) { (found, end) = (language, rest) }
                if name.count == 1, found == nil { end = rest }
            }
            guard let first = name.first, first.allSatisfy({ $0.isLetter || $0 == "-" }) else { return nil }
            let language = if let found { found } else { try language(named: first) }
            words = end
            return language
        }

        private static func takeWord(from words: inout Substring) -> Substring? {
            let word = words.prefix { !$0.isWhitespace }
            words = words[word.endIndex...].drop(while: \.isWhitespace)
            return word.isEmpty ? nil : word
        }

        /// Finds the language with exactly this code or name, in any word order: "Traditional Chinese" finds
        /// "Chinese (traditional)".
        private func language(called name: [Substring]) -> Language? {
            let wanted = Self.words(of: name.joined(separator: " "))
            return all.first { Self.words(of: $0.code) == wanted || Self.words(of: $0.name) == wanted }
        }

        /// Returns the words of a name, without "simplified", which is the default for Chinese.
        private static func words(of name: String) -> Set<Substring> {
            Set(name.lowercased().split { !$0.isLetter && $0 != "-" }).subtracting(["simplified"])
        }

        /// Returns the name of a language; nil if the code is unknown.
        func name(of code: String) -> String? {
            all.first { $0.code == code }.map { String(oneLine: $0.name, limit: 60) }
        }
    }
}
