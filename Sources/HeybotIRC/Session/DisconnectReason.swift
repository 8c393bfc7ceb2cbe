/// Why a connection has ended.
package enum DisconnectReason: Hashable, Sendable, CustomStringConvertible {
    /// The robot quit.
    case quit
    /// The connection was lost, or the server closed it; with the server's reason, if it gave one.
    case lost(String)
    /// The server didn't answer a ping.
    case pingTimeout
    /// Registration took too long.
    case loginTimeout
    /// Services removed the robot because another client with its account wanted the nick.
    case displaced(String)
    /// The server refuses the robot, for example because of a ban or a wrong password.
    case refused(String)

    /// Whether reconnecting soon is pointless.
    package var isPermanent: Bool { if case .refused = self { true } else { false } }

    package var description: String {
        switch self {
        case .quit: "I left"
        case .lost(let reason): reason
        case .pingTimeout: "ping timeout: the server stopped responding"
        case .loginTimeout: "login timed out"
        case .displaced(let reason), .refused(let reason): reason
        }
    }
}
