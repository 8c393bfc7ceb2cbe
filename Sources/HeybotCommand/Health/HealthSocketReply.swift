import Heybot
import Synchronization

/// The report of a robot at its health socket: its health, and facts that other commands need.
///
/// Its JSON is that of ``Health`` with additional keys, so that versions which only know ``Health`` can read it.
struct HealthSocketReply: Codable, Sendable {
    let health: Health
    /// The web server's port; nil if there is no web server.
    let webPort: Int?
    /// The state of the process that runs the scripts; nil if the robot is one process.
    let scripts: String?

    private enum CodingKeys: String, CodingKey {
        case webPort, scripts
    }

    init(health: Health, webPort: Int?, scripts: String? = nil) {
        (self.health, self.webPort, self.scripts) = (health, webPort, scripts)
    }

    init(from decoder: any Decoder) throws {
        health = try Health(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        webPort = try container.decodeIfPresent(Int.self, forKey: .webPort)
        scripts = try container.decodeIfPresent(String.self, forKey: .scripts)
    }

    func encode(to encoder: any Encoder) throws {
        try health.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(webPort, forKey: .webPort)
        try container.encodeIfPresent(scripts, forKey: .scripts)
    }
}

/// The port of a robot's web server, once it listens.
final class BoundWebPort: Sendable {
    private let port = Mutex<Int?>(nil)

    var number: Int? { port.withLock { $0 } }

    func set(_ number: Int) { port.withLock { $0 = number } }
}
