import Heybot
import HeybotMPD
import Logging

#if AllParts || Music
    import MPDClient
#endif

/// The music players of the rooms.
struct RoomPlayers: Sendable {
    /// A room, with or without its adapter, and its player.
    struct ConfiguredPlayer: Sendable {
        let room: String
        let address: MPDAddress
    }

    private let usual: MPDAddress?
    private let rooms: [ConfiguredPlayer]
    private let players: [MPDAddress: any MPDCommandPerformer]

    init(usual: MPDAddress?, rooms: [ConfiguredPlayer], password: String?) {
        (self.usual, self.rooms) = (usual, rooms)
        let addresses = Set(rooms.map(\.address) + [usual].compactMap { $0 })
        // Rooms share the connection to a player.
        players = Dictionary(
            addresses.map { ($0, Self.player($0, password)) }, uniquingKeysWith: { first, _ in first })
    }

    var isEmpty: Bool { players.isEmpty }

    var all: [any MPDCommandPerformer] { Array(players.values) }

    /// Returns a room's player.
    ///
    /// - Throws: A ``Refusal`` that says what to do if it has none.
    func player(in room: Room) throws(Refusal) -> any MPDCommandPerformer {
        if let player = address(in: room).flatMap({ players[$0] }) { return player }
        guard let other = rooms.first?.room else {
            throw Refusal("I have no music player yet: set HEYBOT_MPD_ADDRESS to the address of an MPD.")
        }
        throw Refusal(
            "This room has no music player, but \(other) has one. HEYBOT_MPD_ADDRESS sets a player for rooms without one."
        )
    }

    /// Returns the player with an address.
    func player(at address: String) -> (any MPDCommandPerformer)? { MPDAddress(address).flatMap { players[$0] } }

    /// Returns the address of a room's player; nil if it has none.
    func address(in room: Room) -> MPDAddress? {
        let id = room.id.description
        let own = rooms.first { $0.room == id || $0.room == room.id.value || $0.room == room.name }
        return own?.address ?? usual
    }

    /// Parses a setting such as `#lab=lab.example.org:6600, irc:#den=/run/mpd/socket`; nil if it is invalid.
    static func entries(_ text: String) -> [ConfiguredPlayer]? {
        var entries: [ConfiguredPlayer] = []
        for pair in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
            guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex,
                let address = MPDAddress(String(pair[pair.index(after: equals)...]))
            else { return nil }
            entries.append(ConfiguredPlayer(room: String(pair[..<equals]), address: address))
        }
        return entries.isEmpty ? nil : entries
    }

    private static func player(_ address: MPDAddress, _ password: String?) -> any MPDCommandPerformer {
        #if AllParts || Music
            MPDPlayer(address, password: password, logger: Logger(label: "heybot.music"))
        #else
            PlayerNotInThisBuild(address: address)
        #endif
    }
}

/// A player in a build without network connections.
struct PlayerNotInThisBuild: MPDCommandPerformer {
    let address: MPDAddress

    nonisolated(nonsending) func perform(_ commands: [MPDCommand]) async throws(PlayerError) -> [MPDResponse] {
        throw PlayerError(address, .notInThisBuild)
    }

    func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
