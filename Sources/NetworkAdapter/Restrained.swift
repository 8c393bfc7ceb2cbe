package import Heybot
package import HeybotPacing
package import Logging

/// Somebody who isn't heard for a while, for the log.
package struct Restrained: Sendable {
    let user: User.ID
    let name: String
    let room: Room.ID
    let time: Duration

    package init(user: User.ID, name: String, room: Room.ID, time: Duration) {
        self.user = user
        self.name = name
        self.room = room
        self.time = time
    }

    /// How many people are told of it at once, so that telling them delays nobody else.
    package static var warnings: Pace { Pace(burst: 2, interval: .seconds(5)) }

    /// What they are told.
    package static func warning(_ time: Duration) -> String {
        "not so fast; I'll listen to you again in \(max(time.components.seconds, 1)) s."
    }

    package func log(to logger: Logger) {
        logger.notice(
            "\(name) asks too much, so I don't listen to them for \(time.components.seconds) s",
            metadata: ["user": "\(user)", "room": "\(room)"])
    }
}
