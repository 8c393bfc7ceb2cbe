import FoundationEssentials
import Heybot
import HeybotSupport

/// The apps that can be deployed: the content of apps.json, in the format of hubot-deploy with a few more fields.
struct DeployApps: Sendable {
    /// The greatest size of the file, in bytes.
    private static let longest = 1 << 20
    private static let mostApps = 500

    /// The apps, sorted by name.
    let apps: [DeployApp]

    init(_ data: Data) throws(AppsFileError) {
        guard data.count <= Self.longest else { throw AppsFileError(place: "", problem: "it is longer than 1 MiB") }
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        guard let value = try? decoder.decode(JSONValue.self, from: data), case .object(let members) = value else {
            throw AppsFileError(
                place: "", problem: "it isn't valid JSON, or isn't an object with an entry for each app")
        }
        guard members.count <= Self.mostApps else {
            throw AppsFileError(place: "", problem: "it has more than \(Self.mostApps) apps")
        }
        var apps: [DeployApp] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard case .object(let fields) = value else {
                throw AppsFileError(place: String(oneLine: name, limit: 80), problem: "an app must be an object")
            }
            apps.append(try DeployApp(name: name, fields))
        }
        self.apps = apps
    }

    /// The names of all environments, sorted.
    var environments: [String] { Set(apps.flatMap { $0.environments.map(\.name) }).sorted() }

    /// Whether any app is deployed by a webhook.
    var hasWebhooks: Bool { apps.contains { $0.environments.contains { $0.target.kind == .webhook } } }

    /// Returns the app with a name, in any case.
    ///
    /// - Throws: A ``Refusal`` if there is none.
    func app(named name: String) throws(Refusal) -> DeployApp {
        let folded = name.lowercased()
        if let app = apps.first(where: { $0.name == name }) ?? apps.first(where: { $0.name.lowercased() == folded }) {
            return app
        }
        let known = apps.isEmpty ? "My apps.json is empty." : "I know \(Self.list(apps.map(\.name)))."
        throw Refusal("\(String(oneLine: name, limit: 80))? Never heard of it. \(known)")
    }

    /// Returns the full name of an environment that any app has.
    ///
    /// - Throws: A ``Refusal`` if there is none.
    func environment(named name: String) throws(Refusal) -> String {
        for candidate in DeployApp.Environment.names(meantBy: name) {
            if let known = environments.first(where: { $0.lowercased() == candidate }) { return known }
        }
        throw Refusal(
            "No app has an environment \(String(oneLine: name, limit: 60)). I know \(Self.list(environments)).")
    }

    /// The first of some names, for chat.
    static func list(_ names: [String]) -> String {
        names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", and \(names.count - 20) more" : "")
    }
}
