package import Heybot

/// To whom the latest messages are accounted.
///
/// A message keeps its asker while others come and go under the same nick.
package struct Askers<Asker: Sendable>: Sendable {
    /// The latest messages; once they are all there, each takes the place of the oldest.
    private var latest: [String] = []
    private var next = 0
    private var askers: [String: Asker] = [:]
    private let most: Int

    /// - Parameter most: How many messages are known.
    package init(most: Int = 5_000) { self.most = most }

    /// Takes note of who said a message.
    package mutating func take(_ asker: Asker, for message: Message.ID) {
        let id = message.value
        if askers.updateValue(asker, forKey: id) != nil { return }
        if latest.count < most { return latest.append(id) }
        askers[latest[next]] = nil
        latest[next] = id
        next = (next + 1) % most
    }

    /// Who said a message; nil if too many came after it.
    package subscript(message: Message.ID) -> Asker? { askers[message.value] }
}
