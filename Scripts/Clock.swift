public import Heybot

/// Tells the time, here and elsewhere, and knows people's time zones.
public struct Clock: Script {
    static let timeZone = ScriptSetting(
        "TIME_ZONE", "the time zone in which times are told; this machine's if it isn't set",
        expected: "a name such as Europe/Berlin", read: { Zone(named: $0) })

    public init() {}

    public var topic: Topic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.timeZone, Weather.geocoding] }

    public func register(on robot: inout RobotBuilder) {
        let zones = ChosenZones(usual: robot.value(of: Self.timeZone))
        let places = ZonesOfPlaces(service: robot.value(of: Weather.geocoding))

        robot.respond(
            /(?:what(?:[’']s| is) the |what )?time(?: is it)?(?: (?:in|for|at) (?<place>\S.*?))?\??$/,
            help: """
                time - Tell the time
                time in <place> - Tell the time somewhere else
                """,
            example: "time in Tokyo"
        ) { res in
            if let place = res.match.place {
                let (zone, name) = try await places.zone(of: place, res.http)
                let time = LocalTime(res.robot.date, in: zone)
                try await res.send("It's \(time.clock) in \(name), on \(time.weekdayAndDate) (\(time.abbreviation)).")
            } else {
                let zone = try await zones.zone(for: res.message, res.brain)
                let time = LocalTime(res.robot.date, in: zone)
                try await res.send("It's \(time.clock) on \(time.weekdayAndDate) (\(time.abbreviation)).")
            }
        }

        robot.respond(
            /set (?<whose>my|the room['’]?s?|this room['’]?s?|our) time ?zone (?:to )?(?<place>\S.*)$/,
            help: """
                set my timezone to <place> - Have times told in your time zone, as Europe/Berlin or Tokyo
                set the room's timezone to <place> - Have times told here in that time zone; for admins
                """,
            example: "set my timezone to Europe/Berlin"
        ) { res in
            let isMine = res.match.whose.lowercased() == "my"
            guard isMine || res.robot.isAdmin(res.message.user) else {
                throw Refusal("Only my admins may set the room's time zone. Try set my timezone to \(res.match.place).")
            }
            let (zone, _) = try await places.zone(of: res.match.place, res.http)
            try await ChosenZones.choose(zone, for: isMine ? .person : .room, of: res.message, res.brain)
            let time = LocalTime(res.robot.date, in: zone)
            try await res.reply(
                "\(isMine ? "Your" : "This room's") time zone is \(zone.name), where it's \(time.clock).")
        }

        robot.respond(
            /forget (?<whose>my|the room['’]?s?|this room['’]?s?|our) time ?zone$/,
            help: "forget my timezone - Have times told in the room's time zone again, or in mine",
            example: "forget my timezone"
        ) { res in
            let isMine = res.match.whose.lowercased() == "my"
            guard isMine || res.robot.isAdmin(res.message.user) else {
                throw Refusal("Only my admins may do that for the room.")
            }
            try await ChosenZones.choose(nil, for: isMine ? .person : .room, of: res.message, res.brain)
            try await res.reply("Done.")
        }
    }
}
