/// Which scripts are switched off, everywhere or in some rooms.
public struct ScriptSwitches: Codable, Hashable, Sendable {
    /// The names of scripts that are off everywhere.
    public var off: Set<String>
    /// The names of scripts that are off in a room, by the room's id or its name.
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
        return ![room.id.description, room.id.value, room.name].contains { offInRoom[$0]?.contains(script) == true }
    }

    /// Every script that is named.
    var scripts: Set<String> { offInRoom.values.reduce(off) { $0.union($1) } }
}
