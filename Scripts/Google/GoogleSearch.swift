import Heybot

/// Google's Custom Search, for whoever has a key for it: Google gives out no new ones, and ends it on 1 January 2027.
///
/// https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
struct GoogleSearch: Sendable {
    static let engine = ScriptSetting("GOOGLE_CSE_ID", "the id of your search engine at Google")
    static let key = ScriptSetting("GOOGLE_CSE_KEY", "the key for Google's Custom Search", isSecret: true)
    static let service = ScriptSetting(
        url: "GOOGLE_CSE_URL", "where Google's Custom Search is", default: "https://www.googleapis.com/customsearch/v1")

    /// What a script that uses it lists among its own.
    static var settings: [any AnyScriptSetting] { [engine, key, service] }

    /// A page, or a picture, that was found.
    struct Result: Decodable, Sendable {
        let title: String?
        let link: String?
        let snippet: String?
    }

    private struct Answer: Decodable {
        let items: [Result]?
    }

    private let engine: String
    private let key: String
    private let service: String

    /// As the settings have it; nil if the id or the key isn't set.
    init?(_ robot: inout RobotBuilder) {
        guard let engine = robot.value(of: Self.engine), let key = robot.value(of: Self.key) else { return nil }
        self.engine = engine
        self.key = key
        service = robot.value(of: Self.service)
    }

    /// What it finds, best first.
    ///
    /// - Parameter options: More of the API's parameters.
    func results(
        for query: Query, options: FormFields = [:], _ http: any HTTPClient
    ) async throws -> [Result] {
        var fields: FormFields = ["cx": engine, "q": query.words]
        for option in options.fields { fields.add(option.value, for: option.name) }
        return try await http.askGoogle(service, query: fields, key: key).json(Answer.self).items ?? []
    }
}
