import IRC
import Sockets

/// Why we aren't on the network.
struct Trouble: Hashable, CustomStringConvertible {
    let description: String
    /// Whether it will be the same soon.
    let isLasting: Bool

    static func passing(_ description: String) -> Trouble { Trouble(description: description, isLasting: false) }

    private init(description: String, isLasting: Bool) {
        self.description = description
        self.isLasting = isLasting
    }

    init(_ ending: Ending) {
        description = "\(ending)"
        if case .refused = ending { isLasting = true } else { isLasting = false }
    }

    init(_ error: ConnectionError) {
        description = "\(error)"
        switch error {
        case .untrusted, .notTLS, .badFiles: isLasting = true
        default: isLasting = false
        }
    }
}
