public import Heybot

/// Tells the time in any place, and stores users' time zones.
public struct Clock: Script {
    static let timeZone = ScriptSetting(
        "TIME_ZONE", "the time zone for times in chat; by default this machine's",
        expected: "a name such as Europe/Berlin", read: { IANATimeZone(named: $0) })

    public init() {}

    public var topic: ScriptTopic { .lookup }
    public var settings: [any AnyScriptSetting] { [Self.timeZone, Weather.geocoding] }

    public func register(on robot: inout RobotBuilder) {
        let zones = UserAndRoomTimeZones(usual: robot.value(of: Self.timeZone))
        let places = TimeZoneFinder(geocoder: Weather.Geocoder(service: robot.value(of: Weather.geocoding)))

        robot.respond(
            /(?:what(?:[’']s| is) the |what )?time(?: is it)?(?: (?:in|for|at) (?<place>\S.*?))?\??$/,
            help: """
                time - Tell the time
                time in <place> - Tell the time in a place
                """,
            example: "time in Tokyo"
        ) { res in
            if let place = res.match.place {
                let (zone, name) = try await places.zone(of: place, res.http)
                let time = FormattedLocalTime(res.robot.date, in: zone)
                try await res.send("It's \(time.clock) in \(name), on \(time.weekdayAndDate) (\(time.abbreviation)).")
            } else {
                let zone = try await zones.zone(for: res.message, res.brain)
                let time = FormattedLocalTime(res.robot.date, in: zone)
                try await res.send("It's \(time.clock) on \(time.weekdayAndDate) (\(time.abbreviation)).")
            }
        }

        robot.respond(
            /(?:set )?(?<whose>my|the room['’]?s?|this room['’]?s?|our) time ?zone (?:(?:to|is) )?(?<place>[^\s?].*)$/,
            help: """
                set my timezone to <place> - Set your time zone, such as Europe/Berlin or Tokyo
                my timezone is <place> - The same
                set the room's timezone to <place> - Set this room's time zone; only for admins
                """,
            example: "set my timezone to Europe/Berlin"
        ) { res in
            let isMine = res.match.whose.lowercased() == "my"
            guard isMine || res.robot.isAdmin(res.message.user) else {
                throw Refusal(
                    "Only my admins may set the room's time zone. "
                        + "To set yours, say \"set my timezone to \(res.match.place)\".")
            }
            let (zone, _) = try await places.zone(of: res.match.place, res.http)
            let scope: UserAndRoomTimeZones.Scope = isMine ? .person : .room
            try await UserAndRoomTimeZones.choose(zone, for: scope, of: res.message, res.brain)
            let planned = try await PlannedTimes(for: scope, of: res.message, now: zone, res.robot)
            let time = FormattedLocalTime(res.robot.date, in: zone)
            try await res.reply(
                "\(isMine ? "Your" : "This room's") time zone is \(zone.name), where it's \(time.clock)."
                    + planned.sentence)
        }

        robot.respond(
            /(?:what(?:[’']s| is) )?(?<whose>my|the room['’]?s?|this room['’]?s?|our) time ?zone\??$/,
            help: """
                my timezone - Show your time zone
                the room's timezone - Show this room's time zone
                """,
            example: "my timezone"
        ) { res in
            let isMine = res.match.whose.lowercased() == "my"
            let (message, brain) = (res.message, res.brain)
            let zone = try await isMine ? zones.zone(for: message, brain) : zones.zone(ofRoom: message.room.id, brain)
            let time = FormattedLocalTime(res.robot.date, in: zone)
            try await res.reply(
                "\(isMine ? "Your" : "This room's") time zone is \(zone.name), where it's \(time.clock).")
        }

        robot.respond(
            /forget (?<whose>my|the room['’]?s?|this room['’]?s?|our) time ?zone$/,
            help: "forget my timezone - Use the room's or the robot's time zone again",
            example: "forget my timezone"
        ) { res in
            let isMine = res.match.whose.lowercased() == "my"
            guard isMine || res.robot.isAdmin(res.message.user) else {
                throw Refusal("Only my admins may forget the room's time zone.")
            }
            let scope: UserAndRoomTimeZones.Scope = isMine ? .person : .room
            try await UserAndRoomTimeZones.choose(nil, for: scope, of: res.message, res.brain)
            let (message, brain) = (res.message, res.brain)
            let zone = try await isMine ? zones.zone(for: message, brain) : zones.zone(ofRoom: message.room.id, brain)
            let planned = try await PlannedTimes(for: scope, of: message, now: zone, res.robot)
            try await res.reply("Done.\(planned.sentence)")
        }
    }
}
