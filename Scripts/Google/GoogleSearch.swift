import Heybot

/// Google's Custom Search, for users with an existing key: Google issues no new ones, and ends the service on
/// 1 January 2027.
///
/// https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
struct GoogleSearch: Sendable {
    static let engine = ScriptSetting("GOOGLE_CSE_ID", "the id of your Google search engine")
    static let key = ScriptSetting("GOOGLE_CSE_KEY", "API key for Google's Custom Search", isSecret: true)
    static let service = ScriptSetting(
        url: "GOOGLE_CSE_URL", "URL of Google's Custom Search API",
        default: "https://www.googleapis.com/customsearch/v1")

    /// The settings that a script with Google search must list.
    static var settings: [any AnyScriptSetting] { [engine, key, service] }

    /// A page or picture that was found.
    struct Result: Decodable, Sendable {
        let title: String?
        let link: String?
        let snippet: String?
    }

    private struct APIResponse: Decodable {
        let items: [Result]?
    }

    private let engine: String
    private let key: String
    private let service: String

    /// Reads the settings; nil if the id or the key isn't set.
    init?(_ robot: inout RobotBuilder) {
        guard let engine = robot.value(of: Self.engine), let key = robot.value(of: Self.key) else { return nil }
        self.engine = engine
        self.key = key
        service = robot.value(of: Self.service)
    }

    /// Searches, and returns the best results first.
    ///
    /// - Parameter options: Further parameters of the API.
    func results(
        for query: SearchQuery, options: FormFields = [:], _ http: any HTTPClient
    ) async throws -> [Result] {
        var fields: FormFields = ["cx": engine, "q": query.words]
        for option in options.fields { fields.add(option.value, for: option.name) }
        return try await http.askGoogle(service, query: fields, key: key).json(APIResponse.self).items ?? []
    }
}
