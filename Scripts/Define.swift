public import Heybot

/// Looks words up in Wiktionary.
public struct Define: Script {
    static let service = ScriptSetting(
        url: "WIKTIONARY_URL", "base URL of Wiktionary", default: "https://en.wiktionary.org")
    private static let mostMeanings = 3

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service] }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)

        robot.respond(
            /define (?<word>.+)$/, help: "define <word> - Look a word up in Wiktionary", example: "define serendipity",
            deadline: .seconds(50)
        ) { res in
            let query = try SearchQuery(res.match.word)
            // Wiktionary is case-sensitive, and phones capitalize the first letter.
            var meanings = try await Self.meanings(of: query.words, service, res.http)
            let lowercased = query.words.lowercased()
            if meanings.isEmpty, lowercased != query.words {
                meanings = try await Self.meanings(of: lowercased, service, res.http)
            }
            guard !meanings.isEmpty else { throw query.nothingFound }
            try await res.send(meanings.prefix(Self.mostMeanings).joined(separator: "\n"))
        }
    }

    private struct Entry: Decodable {
        let partOfSpeech: String?
        let language: String?
        let definitions: [Definition]

        /// Returns a line for each meaning, with the part of speech, and the language if it isn't English.
        func meanings(_ code: String) -> [String] {
            let kind = [code == "en" ? nil : language, partOfSpeech?.lowercased()].compactMap { $0 }
            let name = String(oneLine: kind.joined(separator: " "), limit: 60)
            return definitions.compactMap { definition in
                let meaning = String(oneLine: String(plainHTML: definition.definition ?? ""), limit: 250)
                return meaning.isEmpty ? nil : name.isEmpty ? meaning : "\(name): \(meaning)"
            }
        }
    }

    private struct Definition: Decodable {
        /// HTML; sometimes empty.
        let definition: String?
    }

    /// Returns the meanings in English, or else in the first language that has the word.
    ///
    /// https://en.wiktionary.org/api/rest_v1/
    private static func meanings(
        of word: String, _ service: String, _ http: any HTTPClient
    ) async throws -> [String] {
        let page = percentEncoded(word.replacing(" ", with: "_"))
        let answer = try await http.get("\(service)/api/rest_v1/page/definition/\(page)")
        if answer.status == 404 { return [] }
        let entries = try answer.json([String: [Entry]].self)
        let codes = ["en"] + entries.keys.sorted()
        let meanings = codes.lazy.map { code in (entries[code] ?? []).flatMap { $0.meanings(code) } }
        return meanings.first { !$0.isEmpty } ?? []
    }
}
