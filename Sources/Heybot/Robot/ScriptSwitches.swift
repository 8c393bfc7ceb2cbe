/// Which scripts are switched off, everywhere or in some rooms.
///
/// A room is named by its id, with its adapter or without, or by its name.
public struct ScriptSwitches: Codable, Hashable, Sendable {
    /// The names of scripts that are off everywhere.
    public var off: Set<String>
    /// The names of scripts that are off in a room, by the room.
    public var offInRoom: [String: Set<String>]

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

    /// Switches a script off, or on again, in a room or, where that is nil, everywhere.
    ///
    /// What is switched on everywhere is on in every room.
    public mutating func turn(_ script: String, on: Bool, in room: String? = nil) {
        switch (on, room) {
        case (false, nil): off.insert(script)
        case (false, let room?): offInRoom[room, default: []].insert(script)
        case (true, nil):
            off.remove(script)
            for room in offInRoom.keys { take(script, from: room) }
        case (true, let room?): take(script, from: room)
        }
    }

    /// Whether a script is off everywhere or, where a room is named, in that one.
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
        ScriptSwitches(
            off: off.union(other.off), offInRoom: offInRoom.merging(other.offInRoom) { $0.union($1) })
    }

    private mutating func take(_ script: String, from room: String) {
        offInRoom[room]?.remove(script)
        if offInRoom[room]?.isEmpty == true { offInRoom[room] = nil }
    }

    /// Every script that is named.
    package var scripts: Set<String> { offInRoom.values.reduce(off) { $0.union($1) } }
}
