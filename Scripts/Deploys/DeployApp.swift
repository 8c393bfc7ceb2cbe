import Heybot
import HeybotSupport

/// An app that can be deployed, and its environments.
struct DeployApp: Hashable, Sendable {
    private static let mostEnvironments = 50

    /// The name by which users deploy it.
    let name: String
    /// The branch that is deployed if the command names none; nil for the repository's default branch.
    let branch: String?
    /// The base URL of GitHub's API, for a GitHub of one's own.
    let api: String?
    let token: String?
    let environments: [Environment]
    /// What deployment systems get: the app's fields in apps.json without secrets.
    let configuration: JSONValue

    /// The fields that deployment systems don't get.
    private static let secret: Set<String> = ["github_api", "github_token", "webhook", "command"]

    init(name: String, _ members: [String: JSONValue]) throws(AppsFileError) {
        let fields = AppsFileFields(place: name, members)
        guard Self.isName(name, limit: 80) else {
            throw AppsFileError(
                place: String(oneLine: name, limit: 80),
                problem: "the name of an app must consist of letters, digits, \".\", \"_\" and \"-\"")
        }
        self.name = name
        branch = try fields.text("branch")
        if let branch, !DeployOrder.isRef(branch) { throw fields.error("branch isn't the name of a branch") }
        api = try fields.text("github_api")
        if let api, checkedWebURL(api) == nil || api.hasSuffix("/") {
            throw fields.error("github_api must be a URL without a slash at its end")
        }
        token = try fields.text("github_token")
        environments = try Self.environments(fields, members)
        configuration = Self.withoutSecrets(members)
    }

    private static func environments(
        _ fields: AppsFileFields, _ members: [String: JSONValue]
    ) throws(AppsFileError) -> [Environment] {
        let wrong = fields.error("environments must be a list of names, or of objects with a name")
        var listed: [JSONValue] = [.string("production")]
        if let value = fields.value("environments") {
            listed = value.stringValue == nil ? value.elements : [value]
            guard !listed.isEmpty, listed.count <= mostEnvironments else { throw wrong }
        }
        var environments: [Environment] = []
        for value in listed {
            let name = value.stringValue ?? value["name"].stringValue
            guard let name, isName(name, limit: 60) else { throw wrong }
            guard !environments.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
                throw fields.error("there are two environments named \(name)")
            }
            environments.append(
                try Environment(
                    name: name, AppsFileFields(place: "\(fields.place)/\(name)", value.members, outer: members)))
        }
        return environments
    }

    private static func withoutSecrets(_ members: [String: JSONValue]) -> JSONValue {
        var known = members.filter { !secret.contains($0.key) }
        if case .array(let environments)? = known["environments"] {
            known["environments"] = .array(
                environments.map { environment in
                    guard case .object(let own) = environment else { return environment }
                    return .object(own.filter { !secret.contains($0.key) })
                })
        }
        return .object(known)
    }

    /// Whether a text can be the name of an app or an environment.
    static func isName(_ text: String, limit: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= limit
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-".utf8.contains(byte)
                }
            }
    }

    /// Returns the environment with a name, in any case; `prod` and `stg` are short for production and staging.
    ///
    /// - Throws: A ``Refusal`` if the app has no such environment.
    func environment(named name: String) throws(Refusal) -> Environment {
        for candidate in Environment.names(meantBy: name) {
            if let known = environments.first(where: { $0.name.lowercased() == candidate }) { return known }
        }
        let known = environments.map(\.name).joined(separator: ", ")
        throw Refusal("\(self.name) has no environment \(String(oneLine: name, limit: 60)). It has \(known).")
    }
}
