import Heybot

/// The number of a deploy, such as `shop 17`: every deploy of an app that somebody asks for has its own.
struct DeployID: Codable, Hashable, Sendable, CustomStringConvertible {
    let app: String
    let number: Int

    var description: String { "\(app) \(number)" }
}

/// What is deployed, where, and for whom.
struct DeployPlan: Codable, Hashable, Sendable {
    let app: String
    /// A branch, tag or commit.
    let ref: String
    /// `deploy`, or another task such as `deploy:migrate`.
    let task: String
    let environment: String
    /// The hosts, or the kind of hosts; empty for all.
    let hosts: String
    /// Whether it is deployed although checks haven't passed, and without merging the default branch.
    let isForced: Bool
    let isRollback: Bool
    let target: DeployTarget.Kind
    /// The repository on GitHub, `owner/name`; nil for another target.
    let repository: String?
    let user: User
    let room: Room.ID

    /// Such as `production/fe`.
    var place: String { hosts.isEmpty ? environment : "\(environment)/\(hosts)" }

    /// Such as `deploy shop/main to production`, or `deploy! shop/main to production`.
    var command: String {
        if isRollback { return "roll back \(app) in \(place) to \(Self.short(ref))" }
        return "\(task)\(isForced ? "!" : "") \(app)/\(Self.short(ref)) to \(place)"
    }

    /// The user's name for chat.
    var userName: String { String(oneLine: user.name, limit: 60) }

    /// A ref for chat: the beginning of a commit's hash, or the name of a branch or tag.
    static func short(_ ref: String) -> String {
        let isHash = ref.utf8.count == 40 && ref.allSatisfy(\.isHexDigit)
        return isHash ? String(ref.prefix(7)) : String(oneLine: ref, limit: 80)
    }
}
