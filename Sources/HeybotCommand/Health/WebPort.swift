import Synchronization

/// The port that a robot's web server listens at, once it does.
final class WebPort: Sendable {
    private let port = Mutex<Int?>(nil)

    var number: Int? { port.withLock { $0 } }

    func set(_ number: Int) { port.withLock { $0 = number } }
}
