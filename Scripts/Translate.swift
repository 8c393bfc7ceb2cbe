import FoundationEssentials
public import Heybot

/// Translates texts with LibreTranslate (https://docs.libretranslate.com/guides/api_usage).
public struct Translate: Script {
    static let service = ScriptSetting(
        url: "TRANSLATE_URL", "base URL of LibreTranslate", default: "https://libretranslate.com")
    static let key = ScriptSetting("TRANSLATE_KEY", "API key for LibreTranslate, if it needs one", isSecret: true)
    static let target = ScriptSetting("TRANSLATE_TO", "the default language to translate to", default: "en")
    private static let longest = 1_000

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.service, Self.key, Self.target] }

    private struct APIRequest: Encodable {
        let q: String
        let source: String
        let target: String
        let format = "text"
        let apiKey: String?

        private enum CodingKeys: String, CodingKey {
            case q, source, target, format
            case apiKey = "api_key"
        }
    }

    private struct Translation: Decodable {
        struct Detection: Decodable {
            let language: String
        }

        let translatedText: String
        let detectedLanguage: Detection?
    }

    private struct ErrorResponse: Decodable {
        let error: String
    }

    public func register(on robot: inout RobotBuilder) {
        let service = robot.value(of: Self.service)
        let key = robot.value(of: Self.key)
        let usual = robot.value(of: Self.target)
        let known = LanguageCache(service: service)
        let canTranslate = key != nil || service != Self.service.fallback
        if !canTranslate { robot.reportMissingSetting("HEYBOT_TRANSLATE_KEY or HEYBOT_TRANSLATE_URL") }

        robot.respond(
            /translate(?: me)? (?<text>.+)$/,
            help: """
                translate <text> - Translate a text
                translate from <language> <text> - Translate a text from a language
                translate to <language> <text> - Translate a text to a language
                translate from <language> to <language> <text> - Translate a text from one language to another
                """,
            example: "translate to French good morning", deadline: .seconds(50)
        ) { res in
            guard canTranslate else {
                throw Refusal(
                    "I can't translate yet: set HEYBOT_TRANSLATE_KEY to a key for libretranslate.com, "
                        + "or HEYBOT_TRANSLATE_URL to the URL of your own LibreTranslate server.")
            }
            var text = res.match.text
            // Some services charge by length.
            guard text.utf8.count <= Self.longest * 4, text.count <= Self.longest else {
                throw Refusal("That's too long to translate: use at most \(Self.longest) characters.")
            }
            guard !["", "me"].contains(String(oneLine: text, limit: 3).lowercased()) else {
                throw Refusal("What should I translate?")
            }
            let languages = try await known.languages(res.http)
            let source = try languages.takeLanguage(after: ["from"], from: &text)
            let target =
                try languages.takeLanguage(after: ["to", "into"], from: &text)
                ?? languages.language(named: usual[...])
            let question = APIRequest(
                q: String(text), source: source?.code ?? "auto", target: target.code, apiKey: key)
            var request = HTTPRequest(.post, "\(service)/translate", body: try .json(question))
            // A redirect could send the key to another host.
            request.redirects = 0
            let answer = try await res.http.send(request)
            try Self.refuse(answer)

            let translation = try answer.json(Translation.self)
            let name = source?.name ?? translation.detectedLanguage.flatMap { languages.name(of: $0.language) }
            let (asked, found) = (
                String(oneLine: text, limit: 200), String(oneLine: translation.translatedText, limit: Self.longest * 2)
            )
            let isOrMeans = name.map { "is \($0) for" } ?? "means"
            try await res.send("\"\(asked)\" \(isOrMeans) \"\(found)\".")
        }
    }

    /// - Throws: ``Refusal`` if the service rejected the request with a reason.
    private static func refuse(_ answer: HTTPResponse) throws(Refusal) {
        guard answer.status == 400 || answer.status == 403 else { return }
        guard let problem = try? JSONDecoder().decode(ErrorResponse.self, from: Data(answer.body)) else { return }
        if answer.status == 403 { throw Refusal("The translator doesn't accept my key. Check HEYBOT_TRANSLATE_KEY.") }
        throw Refusal("The translator can't do that: \(String(oneLine: problem.error, limit: 150))")
    }
}
