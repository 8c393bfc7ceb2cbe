public import Heybot

/// Knows who is on call, and pages them.
///
/// The brain stores the rotas, the open pages, and the events for PagerDuty and Opsgenie, so they survive a restart.
public struct OnCall: Script {
    static let interval = ScriptSetting(
        "ONCALL_INTERVAL", "minutes until a person on call is paged again", in: 1...60, default: 5)
    static let attempts = ScriptSetting(
        "ONCALL_ATTEMPTS", "how often a person on call is paged before the next one is", in: 1...10, default: 3)

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] {
        let own: [any AnyScriptSetting] = [Clock.timeZone, Self.interval, Self.attempts]
        return own + AlertService.settings
    }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Clock.timeZone))
        let (minutes, attempts) = (robot.value(of: Self.interval), robot.value(of: Self.attempts))
        let plan = Page.Plan(interval: Double(minutes) * 60, attempts: attempts)
        let pager = Pager(plan: plan, outbox: AlertOutbox(services: AlertService.configured(&robot)))
        registerRotas(zones, on: &robot)
        registerExceptions(zones, on: &robot)
        registerPages(pager, zones, on: &robot)
        registerAccounts(on: &robot)
    }

    /// Returns the user that a command names: on any network by id, such as `xmpp:ada@example.org`, or else by name.
    ///
    /// - Throws: A ``Refusal`` if there is none, or several, and what the adapter throws for an invalid id.
    static func user<Match>(_ typed: Substring, _ res: Response<Match>) async throws -> User {
        let name = typed.beginning(bytes: 400).drop { $0 == "@" }
        let id = User.ID(String(name))
        guard let id, let adapter = res.robot.adapters.first(where: { $0.name == id.adapter }) else {
            return try await res.robot.user(exactly: name, from: res.message)
        }
        let isHere = res.message.room.id.adapter == adapter.name
        let place = isHere ? res.message.room : Room(id: adapter.id(""))
        if let known = await res.robot.users(in: place).first(where: { $0.id == id }) { return known }
        let value = try (adapter as? any ConfiguredUserRecognition)?.userID(named: id.value) ?? id.value
        guard !value.isEmpty else { throw Refusal("Whom do you mean on \(adapter.name)? Write \(adapter.name):<id>.") }
        let user = User(id: adapter.id(value))
        return await (adapter as? any PrivateMessaging)?.locate(user) ?? user
    }

    /// Returns the person that a command about a rota names: one of those who are in it, present or not, or else any user.
    ///
    /// - Throws: What ``user(_:_:)`` throws.
    static func person<Match>(_ typed: Substring, of rota: Rota, _ res: Response<Match>) async throws -> User {
        let known = rota.people + rota.overrides.map(\.user)
        if Robot.isAsker(typed) {
            // The rota may have another account of the author.
            let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
            let author = known.first { person in accounts.contains { $0.proves(toBe: person) } }
            return author ?? res.message.user
        }
        let name = typed.beginning(bytes: 400).drop { $0 == "@" }.lowercased()
        let named = known.filter { $0.name.lowercased() == name || $0.id.description.lowercased() == name }
        if let user = named.first, named.allSatisfy({ $0.id == user.id }) { return user }
        return try await user(typed, res)
    }

    /// Returns what users should know about the people whom they have named, each as a sentence after a space.
    ///
    /// It says which account is meant, and whether pages may reach somebody else, or nobody.
    static func remarks(about people: [User], _ robot: Robot) async -> String {
        var remarks = ""
        for user in people {
            let id = String(oneLine: user.id.description, limit: 100)
            let messenger = robot.adapters.first { $0.name == user.id.adapter } as? any PrivateMessaging
            if user.isAnonymous {
                remarks += " I can't verify who \(user.shortName) is: anyone with that name would get the pages."
            } else if let messenger, await messenger.locate(user)?.proves(toBe: user) != true {
                remarks += " I don't see \(id) now: while I don't, the room gets the pages."
            } else if user.name.lowercased() != user.id.value.lowercased() {
                remarks += " \(user.shortName) is \(id)."
            }
        }
        return remarks
    }

    /// - Throws: A ``Refusal`` if the message's author is neither in the rota nor an admin.
    static func refuseOutsiders<Match>(of rota: Rota, named name: String, _ res: Response<Match>) async throws {
        if res.robot.isAdmin(res.message.user) { return }
        let accounts = try await PersonalAccounts(brain: res.brain).all(of: res.message.user)
        guard accounts.contains(where: { account in rota.people.contains { account.proves(toBe: $0) } }) else {
            throw Refusal("Only the people of \(name) and my admins may change who is on call.")
        }
    }
}
