/// A bijection between names in Heybot's brain and members of Hubot's.
///
/// The users are the collection `users`. Data of `robot.brain.set` keeps its name, and data of `robot.brain.data` gets
/// the prefix `data.`. A name of the first kind that looks like one of the others, or begins with `_private.`, gets the
/// prefix `_private.`.
enum HubotBrainMember: Hashable {
    /// `users` itself.
    case users
    /// A member of `_private`.
    case ofPrivate(String)
    /// A member of the brain itself, beside `users` and `_private`.
    case ofData(String)

    private static let dataPrefix = "data."
    private static let privatePrefix = "_private."

    /// A member of the brain itself; nil for `_private`, which only contains others.
    init?(brainMember name: String) {
        switch name {
        case "users": self = .users
        case "_private": return nil
        default: self = .ofData(name)
        }
    }

    /// The member for the name of a value or collection in Heybot's brain.
    ///
    /// Nil if the name has no equivalent: `data.users`, `data._private`, and `_private.` before a name that doesn't
    /// need it.
    init?(name: String) {
        if name == "users" {
            self = .users
        } else if let member = Self.rest(of: name, after: Self.dataPrefix) {
            guard let member = HubotBrainMember(brainMember: member), member != .users else { return nil }
            self = member
        } else if let member = Self.rest(of: name, after: Self.privatePrefix) {
            guard Self.needsPrefix(member) else { return nil }
            self = .ofPrivate(member)
        } else {
            self = .ofPrivate(name)
        }
    }

    /// The name of the value or collection in Heybot's brain.
    var name: String {
        switch self {
        case .users: "users"
        case .ofPrivate(let member): Self.needsPrefix(member) ? Self.privatePrefix + member : member
        case .ofData(let member): Self.dataPrefix + member
        }
    }

    private static func needsPrefix(_ member: String) -> Bool {
        member == "users" || rest(of: member, after: dataPrefix) != nil || rest(of: member, after: privatePrefix) != nil
    }

    /// Compares bytes, since to `hasPrefix` a dot with a combining mark isn't a dot.
    private static func rest(of name: String, after prefix: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
