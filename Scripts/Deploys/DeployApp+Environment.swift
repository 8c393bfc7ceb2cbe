import Heybot
import HeybotSupport

/// How an environment of an app is deployed.
enum DeployTarget: Hashable, Sendable {
    /// By creating a deployment on GitHub, which other programs act on.
    case github(repository: String)
    /// By a POST request to a program of one's own.
    case webhook(url: String, secret: String)
    /// By a program on the robot's machine, with its arguments.
    case command([String])

    enum Kind: String, Codable, Sendable {
        case github, webhook, command
    }

    var kind: Kind {
        switch self {
        case .github: .github
        case .webhook: .webhook
        case .command: .command
        }
    }
}

extension DeployApp {
    /// An environment of an app, and the rules for deploying there.
    struct Environment: Hashable, Sendable {
        /// The time without news after which a deploy counts as unknown, in minutes.
        private static let usualTimeout = 30

        let name: String
        let isProduction: Bool
        let isTransient: Bool
        /// The roles of which a user needs one; empty if everyone may deploy, nil if the file doesn't say.
        let roles: Set<String>?
        /// The rooms in which it may be deployed; nil for all.
        let rooms: Set<String>?
        /// Whether the user is asked before.
        let confirms: Bool
        /// The approval by a second user that is needed; nil for none.
        let approval: Approval?
        /// The commit statuses that must be successful; nil for all of the commit's.
        let requiredContexts: [String]?
        let autoMerge: Bool
        /// The time without news after which a deploy counts as unknown, in minutes.
        let timeout: Int
        let target: DeployTarget

        init(name: String, _ fields: AppsFileFields) throws(AppsFileError) {
            self.name = name
            isProduction = try fields.flag("production") ?? (name.lowercased() == "production")
            isTransient = try fields.flag("transient") ?? false
            let roles = try fields.texts("role").map { Set($0.map { $0.lowercased() }) }
            // An empty list mustn't mean everyone.
            if roles?.isEmpty == true { throw fields.error("role must name a role, or \"everyone\"") }
            self.roles = roles.map { $0.contains("everyone") ? [] : $0 }
            rooms = try fields.texts("allowed_rooms").map { Set($0) }
            confirms = try fields.flag("confirm") ?? isProduction
            approval = try Self.approval(fields)
            requiredContexts = try fields.texts("required_contexts")
            autoMerge = try fields.flag("auto_merge") ?? true
            timeout = try fields.number("timeout", in: 1...1_440) ?? Self.usualTimeout
            target = try Self.target(fields)
            if target.kind != .github, requiredContexts?.isEmpty == false {
                throw fields.error(
                    "required_contexts needs GitHub's deployments; here, write \"required_contexts\": []")
            }
        }

        /// `"ops"`, or `{"role": "ops", "minutes": 15}`.
        private static func approval(_ fields: AppsFileFields) throws(AppsFileError) -> Approval? {
            guard let value = fields.value("approve"), value != .bool(false) else { return nil }
            if let role = value.text, !role.isEmpty { return .by(role) }
            guard let own = try fields.fields("approve"), let role = try own.text("role") else {
                throw fields.error("approve must be a role, or an object with a role and minutes")
            }
            return .by(role, within: .minutes(try own.number("minutes", in: 1...1_440) ?? 10))
        }

        private static func target(_ fields: AppsFileFields) throws(AppsFileError) -> DeployTarget {
            let (webhook, command) = (try fields.fields("webhook"), try fields.texts("command"))
            if webhook != nil, command != nil { throw fields.error("there are a webhook and a command: keep one") }
            if let webhook {
                guard let url = try webhook.text("url"), checkedWebURL(url) != nil else {
                    throw webhook.error("url must be an http or https URL")
                }
                guard let secret = try webhook.text("secret"), secret.utf8.count >= 16 else {
                    throw webhook.error("secret must have at least 16 characters")
                }
                return .webhook(url: url, secret: secret)
            }
            if let command {
                guard !command.isEmpty else { throw fields.error("command must be a program and its arguments") }
                return .command(command)
            }
            guard let typed = try fields.text("repository") else {
                throw fields.error("there must be a repository, a webhook or a command")
            }
            guard let repository = try? GitHub.RepositoryName(typed: typed), !"\(repository)".hasSuffix("/*") else {
                throw fields.error("repository must be owner/name")
            }
            return .github(repository: "\(repository)")
        }

        /// The names that a typed name may stand for, in lower case: itself first, then what it is short for.
        static func names(meantBy typed: String) -> [String] {
            let name = typed.lowercased()
            let short = ["prod": "production", "stg": "staging"]
            return [name] + [short[name]].compactMap { $0 }
        }
    }
}
