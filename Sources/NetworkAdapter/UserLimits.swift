package import Heybot
package import HeybotPacing

/// Who isn't heard for a while, because they ask too much, and who is told so.
package struct UserLimits: Sendable {
    private var restraint: Restraint
    private var restrained: [Restrained] = []
    private var warnings = PaceMeter(Restrained.warnings)

    /// - Parameter pace: How many commands one person may give at once, and how soon another; nil for no limit.
    package init(_ pace: Pace?) { restraint = Restraint(pace) }

    /// Whether what somebody says is heard.
    package func admits(_ asker: String, at now: Duration) -> Bool { restraint.admits(asker, at: now) }

    /// Counts a command.
    ///
    /// - Returns: What to tell them, if they have to wait from now on and may be told.
    package mutating func asked(_ asker: String, _ message: Message, at now: Duration) -> String? {
        let rest = restraint.asked(asker, message.id.value, at: now)
        return rest.flatMap { warning($0, message.user, message.room, at: now) }
    }

    /// Counts an answer.
    ///
    /// - Parameter lines: How many lines waited to be said to them before.
    /// - Returns: What to tell them, likewise.
    package mutating func answered(
        _ asker: String, _ envelope: Envelope, with text: String, lines: Int = 0, at now: Duration
    ) -> String? {
        guard let user = envelope.user, let message = envelope.message else { return nil }
        let rest = restraint.answered(asker, message.value, with: text, lines: lines, at: now)
        return rest.flatMap { warning($0, user, envelope.room, at: now) }
    }

    private mutating func warning(_ rest: Duration, _ user: User, _ room: Room, at now: Duration) -> String? {
        restrained.append(Restrained(user: user.id, name: user.name, room: room.id, time: rest))
        guard warnings.isReady(at: now) else { return nil }
        warnings.count(at: now)
        return Restrained.warning(rest)
    }

    var isQuiet: Bool { restrained.isEmpty }

    /// Who isn't heard from now on, once.
    mutating func takeRestrained() -> [Restrained] {
        if restrained.isEmpty { return [] }
        defer { restrained = [] }
        return restrained
    }
}
