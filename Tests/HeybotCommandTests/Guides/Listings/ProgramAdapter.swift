import FoundationEssentials
import Heybot
import Synchronization

/// An adapter for the program that the robot is part of, as if the program were a room.
final class ProgramAdapter: Adapter {
    let name = "program"
    /// The robot's messages, in order.
    let answers: AsyncStream<String>

    private let received: AsyncStream<Message>
    private let toRobot: AsyncStream<Message>.Continuation
    private let toProgram: AsyncStream<String>.Continuation
    private let currentStatus = Mutex(AdapterStatus.starting)

    init() {
        (received, toRobot) = AsyncStream.makeStream()
        (answers, toProgram) = AsyncStream.makeStream()
    }

    var status: AdapterStatus { currentStatus.withLock { $0 } }

    func run(_ inbox: Inbox) async throws {
        currentStatus.withLock { $0 = .up(since: .now) }
        for await message in received { await inbox.receive(message) }
        currentStatus.withLock { $0 = .ended(since: .now) }
    }

    func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        switch utterance {
        case .text(let text): toProgram.yield(text)
        case .attachment(let file):
            guard let text = file.plainText else { throw AdapterError(.unsupported, "a program gets no files") }
            toProgram.yield(text)
        case .reply(let text): toProgram.yield(envelope.plainReply(text))
        case .emote(let text): toProgram.yield("* \(text)")
        case .topic(let text): toProgram.yield("* the topic is now: \(text)")
        }
    }

    /// Receives a message from a user.
    func say(_ text: String, as user: String) {
        toRobot.yield(Message(user: User(id: id(user)), room: Room(id: id("hall")), content: .text(text)))
    }

    /// Ends the input.
    func close() { toRobot.finish() }
}
