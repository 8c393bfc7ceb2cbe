public import FoundationEssentials

/// Which scripts are switched off, everywhere or in some rooms.
///
/// A room is named by its id, with its adapter or without, or by its name.
public struct ScriptSwitches: Codable, Hashable, Sendable {
    /// The crashes for which a script was switched off.
    private struct Crashes: Codable, Hashable, Sendable {
        var dates: [Date]
        /// Whether it is still off for them, and for nothing else.
        var isReason: Bool
    }

    /// The names of scripts that are off everywhere.
    public var off: Set<String>
    /// The names of scripts that are off in a room, by the room.
    public var offInRoom: [String: Set<String>]
    /// By the script; kept when it is switched on again, so that the same crashes don't switch it off a second time.
    private var crashes: [String: Crashes] = [:]

    private enum CodingKeys: CodingKey {
        case off, offInRoom, crashes
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        off = try container.decode(Set<String>.self, forKey: .off)
        offInRoom = try container.decode([String: Set<String>].self, forKey: .offInRoom)
        crashes = try container.decodeIfPresent([String: Crashes].self, forKey: .crashes) ?? [:]
    }

    /// Switches off these scripts, and no others.
    public init(off: Set<String> = [], offInRoom: [String: Set<String>] = [:]) {
        self.off = off
        self.offInRoom = offInRoom
    }

    /// Whether a script is on in a room.
    public func isOn(_ script: String, in room: Room) -> Bool {
        if off.contains(script) { return false }
        if offInRoom.isEmpty { return true }
        let names = [room.id.description, room.id.value, room.name, "\(room.id.adapter):\(room.name)"]
        return !names.contains { offInRoom[$0]?.contains(script) == true }
    }

    /// Switches a script off, or on again, in a room or, if that is nil, everywhere.
    ///
    /// What is switched on everywhere is on in every room.
    public mutating func turn(_ script: String, on: Bool, in room: String? = nil) {
        if room == nil { crashes[script]?.isReason = false }
        switch (on, room) {
        case (false, nil): off.insert(script)
        case (false, let room?): offInRoom[room, default: []].insert(script)
        case (true, nil):
            off.remove(script)
            for room in offInRoom.keys { take(script, from: room) }
        case (true, let room?): take(script, from: room)
        }
    }

    /// Switches a script off everywhere because it ended the robot.
    ///
    /// - Parameter dates: When it did.
    /// - Returns: False if it was switched off for these before.
    mutating func turnOff(_ script: String, afterCrashesAt dates: [Date]) -> Bool {
        guard let last = dates.max(), last > crashes[script]?.dates.max() ?? .distantPast else { return false }
        turn(script, on: false)
        crashes[script] = Crashes(dates: dates, isReason: true)
        return true
    }

    /// When a script ended the robot, if it was switched off for that and is still off; else nothing.
    public func crashes(of script: String) -> [Date] {
        guard off.contains(script), let crashes = crashes[script], crashes.isReason else { return [] }
        return crashes.dates.sorted()
    }

    /// Whether a script is off everywhere or, if a room is named, in that one.
    func keepsOff(_ script: String, in room: String?) -> Bool {
        if off.contains(script) { return true }
        guard let room else { return false }
        let value = Room.ID(room)?.value
        return offInRoom.contains { name, scripts in
            scripts.contains(script) && (name == room || name == value || Room.ID(name)?.value == room)
        }
    }

    /// What is off in either.
    func union(_ other: ScriptSwitches) -> ScriptSwitches {
        var all = ScriptSwitches(
            off: off.union(other.off), offInRoom: offInRoom.merging(other.offInRoom) { $0.union($1) })
        all.crashes = crashes.merging(other.crashes) { $1 }
        return all
    }

    private mutating func take(_ script: String, from room: String) {
        offInRoom[room]?.remove(script)
        if offInRoom[room]?.isEmpty == true { offInRoom[room] = nil }
    }

    /// Every script that is named.
    package var scripts: Set<String> { offInRoom.values.reduce(off) { $0.union($1) } }
}
