/// What a name in Heybot's brain stands for in Hubot's, and the other way round: a bijection.
///
/// The users are the collection `users`. What scripts kept with `robot.brain.set` goes by its own name, and what they
/// kept in `robot.brain.data` by `data.` and its name. A name of the first kind that looks like one of the others, or
/// begins with `_private.`, has `_private.` before it.
enum HubotMember: Hashable {
    /// `users` itself.
    case users
    /// A member of `_private`.
    case ofPrivate(String)
    /// A member of the brain itself, beside `users` and `_private`.
    case ofData(String)

    private static let dataPrefix = "data."
    private static let privatePrefix = "_private."

    /// A member of the brain itself; nil for `_private`, which only holds others.
    init?(brainMember name: String) {
        switch name {
        case "users": self = .users
        case "_private": return nil
        default: self = .ofData(name)
        }
    }

    /// What the name of a value or collection in Heybot's brain stands for.
    ///
    /// Nil if it is the name of nothing in Hubot's: `data.users`, `data._private`, and `_private.` before a name
    /// that has no need of it.
    init?(name: String) {
        if name == "users" {
            self = .users
        } else if let member = Self.rest(of: name, after: Self.dataPrefix) {
            guard let member = HubotMember(brainMember: member), member != .users else { return nil }
            self = member
        } else if let member = Self.rest(of: name, after: Self.privatePrefix) {
            guard Self.needsPrefix(member) else { return nil }
            self = .ofPrivate(member)
        } else {
            self = .ofPrivate(name)
        }
    }

    /// The name of its value or collection in Heybot's brain.
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

    /// By bytes: to a string's own prefixes, a dot with an accent on it is no dot.
    private static func rest(of name: String, after prefix: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
}
