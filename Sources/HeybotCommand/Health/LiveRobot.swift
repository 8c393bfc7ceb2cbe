import Heybot
import Synchronization

/// What a robot tells at its health socket: how it is, and what else is of use to who runs another.
///
/// As JSON it is its health with a key more, so that versions which know only that understand it.
struct LiveRobot: Codable, Sendable {
    let health: Health
    /// The port its web server listens at; nil if it has none.
    let webPort: Int?

    private enum CodingKeys: String, CodingKey {
        case webPort
    }

    init(health: Health, webPort: Int?) {
        self.health = health
        self.webPort = webPort
    }

    init(from decoder: any Decoder) throws {
        health = try Health(from: decoder)
        webPort = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Int.self, forKey: .webPort)
    }

    func encode(to encoder: any Encoder) throws {
        try health.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(webPort, forKey: .webPort)
    }
}

/// The port that a robot's web server listens at, once it does.
final class WebPort: Sendable {
    private let port = Mutex<Int?>(nil)

    var number: Int? { port.withLock { $0 } }

    func set(_ number: Int) { port.withLock { $0 = number } }
}
