import IRC
import Sockets

/// Why we aren't on the network.
struct Trouble: Hashable, CustomStringConvertible {
    let description: String
    /// Whether it will be the same soon.
    let isLasting: Bool

    /// Whether the server cut the connection without a word.
    private(set) var isCut = false

    static func cut(_ description: String) -> Trouble {
        var trouble = passing(description)
        trouble.isCut = true
        return trouble
    }

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
        if case .lost = error { isCut = true }
        switch error {
        case .untrusted, .notTLS, .badFiles: isLasting = true
        default: isLasting = false
        }
    }
}
