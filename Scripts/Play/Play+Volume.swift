import Heybot
import HeybotMPD

extension Play {
    func registerVolume(_ players: RoomPlayers, on robot: inout RobotBuilder) {
        robot.respond(
            /volume(?: (?:to )?(?<level>[0-9]+) ?%?)?$/,
            help: """
                volume - Show the volume
                volume <number> - Set the volume, from 0 to 100
                """,
            example: "volume 40"
        ) { res in
            let player = try players.player(in: res.message.room)
            let before = try await Self.volume(of: player)
            guard let typed = res.match.level else {
                try await res.send("The volume is \(before)%.")
                return
            }
            guard let level = Int(typed), 0...100 ~= level else { throw Refusal("The volume goes from 0 to 100.") }
            try await player.perform(.volume(level))
            try await res.send("The volume is \(level)% now.")
        }

        robot.respond(
            /(?:(?<up>louder|volume up|turn it up)|quieter|softer|volume down|turn it down)$/,
            help: """
                louder - Raise the volume
                quieter - Lower the volume
                """,
            example: "louder"
        ) { res in
            let player = try players.player(in: res.message.room)
            let isUp = res.match.up != nil
            let before = try await Self.volume(of: player)
            let level = min(max(before + (isUp ? Self.step : -Self.step), 0), 100)
            guard level != before else {
                throw Refusal("I can't go any \(isUp ? "louder" : "quieter"): the volume is already \(before)%.")
            }
            try await player.perform(.volume(level))
            try await res.send("The volume is \(level)% now.")
        }
    }

    private static let step = 10

    private static func volume(of player: any MPDCommandPerformer) async throws -> Int {
        guard let volume = try await player.status().volume else {
            throw Refusal("This player has no volume control. Its mpd.conf needs a mixer_type.")
        }
        return volume
    }
}
