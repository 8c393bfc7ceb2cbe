import Heybot
import XMPP

/// To whom the latest messages are accounted.
///
/// A message keeps its asker while others come and go under the same nick.
struct Askers: Sendable {
    /// The latest messages, each in the place of the one so many before it.
    private var latest: [(message: Int, asker: Asker)] = []
    private static let most = 10_000

    /// Takes note of who said a message; the messages are numbered as they come.
    mutating func take(_ asker: Asker, for message: Message.ID) {
        guard let number = Int(message.value) else { return }
        if latest.count < Self.most {
            latest.append((number, asker))
        } else {
            latest[place(of: number)] = (number, asker)
        }
    }

    /// Who said a message; nil if too many came after it.
    subscript(message: Message.ID) -> Asker? {
        guard let number = Int(message.value), number > 0 else { return nil }
        let place = place(of: number)
        guard latest.indices.contains(place), latest[place].message == number else { return nil }
        return latest[place].asker
    }

    /// The first message is number 1.
    private func place(of number: Int) -> Int { (number - 1) % Self.most }
}
