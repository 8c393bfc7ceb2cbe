public import FoundationEssentials

/// The disabled scripts, everywhere or in some rooms.
///
/// A room is given by its id, with or without the adapter, or by its name.
public struct DisabledScripts: Codable, Hashable, Sendable {
    /// The crashes because of which a script was disabled.
    private struct DisablingCrashes: Codable, Hashable, Sendable {
        var dates: [Date]
        /// Whether the script is still disabled because of them, and for no other reason.
        var isReason: Bool
    }

    /// The names of the scripts that are disabled everywhere.
    public var off: Set<String>
    /// The names of the scripts that are disabled in a room, by room.
    public var offInRoom: [String: Set<String>]
    /// The crashes by script.
    ///
    /// They are kept when the script is enabled again, so that the same crashes don't disable it twice.
    private var crashes: [String: DisablingCrashes] = [:]

    private enum CodingKeys: CodingKey {
        case off, offInRoom, crashes
    }

    /// Decodes a list; one from before crashes were recorded has none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        off = try container.decode(Set<String>.self, forKey: .off)
        offInRoom = try container.decode([String: Set<String>].self, forKey: .offInRoom)
        crashes = try container.decodeIfPresent([String: DisablingCrashes].self, forKey: .crashes) ?? [:]
    }

    /// Creates a list of disabled scripts.
    public init(off: Set<String> = [], offInRoom: [String: Set<String>] = [:]) {
        self.off = off
        self.offInRoom = offInRoom
    }

    /// Whether all scripts are enabled everywhere.
    var disablesNone: Bool { off.isEmpty && offInRoom.isEmpty }

    /// Whether a script is enabled in a room.
    public func isOn(_ script: String, in room: Room) -> Bool {
        if off.contains(script) { return false }
        if offInRoom.isEmpty { return true }
        let names = [room.id.description, room.id.value, room.name, "\(room.id.adapter):\(room.name)"]
        return !names.contains { offInRoom[$0]?.contains(script) == true }
    }

    /// Disables or enables a script in a room or, if the room is nil, everywhere.
    ///
    /// Enabling a script everywhere enables it in every room too.
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

    /// Disables a script everywhere because it crashed the robot.
    ///
    /// - Parameter dates: The times of the crashes.
    /// - Returns: False if the script was already disabled because of these crashes.
    mutating func turnOff(_ script: String, afterCrashesAt dates: [Date]) -> Bool {
        guard let last = dates.max(), last > crashes[script]?.dates.max() ?? .distantPast else { return false }
        turn(script, on: false)
        crashes[script] = DisablingCrashes(dates: dates, isReason: true)
        return true
    }

    /// The times at which a script crashed the robot, if it is disabled because of that; otherwise empty.
    public func crashes(of script: String) -> [Date] {
        guard off.contains(script), let crashes = crashes[script], crashes.isReason else { return [] }
        return crashes.dates.sorted()
    }

    /// Whether a script is disabled everywhere or, if a room is given, in that room.
    func keepsOff(_ script: String, in room: String?) -> Bool {
        if off.contains(script) { return true }
        guard let room else { return false }
        let value = Room.ID(room)?.value
        return offInRoom.contains { name, scripts in
            scripts.contains(script) && (name == room || name == value || Room.ID(name)?.value == room)
        }
    }

    /// The scripts that are disabled in either list.
    func union(_ other: DisabledScripts) -> DisabledScripts {
        var all = DisabledScripts(
            off: off.union(other.off), offInRoom: offInRoom.merging(other.offInRoom) { $0.union($1) })
        all.crashes = crashes.merging(other.crashes) { $1 }
        return all
    }

    private mutating func take(_ script: String, from room: String) {
        offInRoom[room]?.remove(script)
        if offInRoom[room]?.isEmpty == true { offInRoom[room] = nil }
    }

    /// The names of all scripts in the list.
    package var scripts: Set<String> { offInRoom.values.reduce(off) { $0.union($1) } }
}
