import Heybot
import Synchronization

extension Translate {
    /// The languages a LibreTranslate knows, asked for once and then kept.
    final class KnownLanguages: Sendable {
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
        /// As in `fr` or `zh-Hans`.
        let code: String
        let name: String
    }

    struct Languages: Sendable {
        let all: [Language]

        /// The language of a code or of an English name; of `chinese` the first that begins so.
        ///
        /// - Throws: ``Refusal`` where there is none.
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

        /// What a language is called; nil for one that isn't known.
        func name(of code: String) -> String? {
            all.first { $0.code == code }.map { String(oneLine: $0.name, limit: 60) }
        }
    }
}
