import Heybot
import HeybotWebServer

/// An error that tells what is wrong, and apart from that what can be done about it.
protocol CuredError: Error {
    var reason: String { get }
    /// Nil where it knows none.
    var cure: String? { get }
}

extension StoreError: CuredError {}
extension WebServerError: CuredError {}
