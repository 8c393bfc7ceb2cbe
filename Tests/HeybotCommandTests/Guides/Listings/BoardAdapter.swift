import FoundationEssentials
import Heybot
import Synchronization

/// An adapter for a board of notes, which can be answered and changed, and have threads, files and reactions.
final class BoardAdapter: MessageChanging {
    /// A note; the robot's have no author.
    struct Note: Hashable, Sendable {
        var text: String
        var author: String?
        var answers: String?
        var thread: String?
        var file: String?
        var reactions: [String] = []
    }

    let name = "board"
    private let input = AsyncStream<Message>.makeStream()
    private let board = Mutex<[String: Note]>([:])
    private let count = Atomic(0)
    private let writing = Atomic(false)

    var status: AdapterStatus { .up(since: .distantPast) }
    /// Everything, but the board doesn't know who has read a note.
    var messageFeatures: Set<MessageFeature> { Set(MessageFeature.allCases).subtracting([.reading]) }
    /// The notes by their ids.
    var notes: [String: Note] { board.withLock { $0 } }
    /// Whether users see that the robot is writing a note.
    var isRobotWriting: Bool { writing.load(ordering: .relaxed) }

    func run(_ inbox: Inbox) async throws {
        for await message in input.stream { await inbox.receive(message) }
    }

    func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        var note = Note(text: utterance.content, thread: envelope.thread)
        switch utterance {
        case .text, .emote: break
        case .reply: note.answers = envelope.message?.value
        case .attachment(let file): note.file = file.name
        case .topic: throw AdapterError(.unsupported, "a board has no topic")
        }
        writing.store(false, ordering: .relaxed)
        return put(note)
    }

    func showTyping(_ isTyping: Bool, in envelope: Envelope) { writing.store(isTyping, ordering: .relaxed) }

    func waitUntil(
        _ message: Message.ID, is stage: DeliveryStage, within limit: Duration, in envelope: Envelope
    ) async throws -> Bool { notes[message.value] != nil }

    func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        board.withLock { notes in
            let id = message.value
            guard notes[id] != nil else { return false }
            switch change {
            case .edit(let utterance): notes[id]?.text = utterance.content
            case .react(let reaction): notes[id]?.reactions.append(reaction)
            case .unreact(let reaction): notes[id]?.reactions.removeAll { $0 == reaction }
            case .retract: notes[id] = nil
            }
            return true
        }
    }

    /// Receives a user's note, or the correction of an earlier one by its author.
    func post(_ note: Note, by user: String, correcting original: String? = nil) {
        if let original, notes[original]?.author != user { return }
        var note = note
        note.author = user
        var message = message(.text(note.text), by: user, put(note, at: original))
        message.correction = original.map { messageID($0) }
        message.thread = note.thread
        if let id = note.answers, let answered = notes[id] {
            message.reply = Message.Reply(message: messageID(id), text: answered.text)
            message.isAddressed = answered.author == nil
        }
        if let file = note.file { message.attachments = [Message.AttachedFile(url: file)] }
        input.continuation.yield(message)
    }

    /// Receives something else: a reaction, a new name, or that an author takes a note down.
    func receive(_ content: Message.Content, by user: String) {
        if case .retraction(let note) = content {
            guard notes[note.value]?.author == user else { return }
            board.withLock { $0[note.value] = nil }
        }
        input.continuation.yield(message(content, by: user, nextID()))
    }

    private func put(_ note: Note, at place: String? = nil) -> Message.ID {
        let id = nextID()
        board.withLock { $0[place ?? id.value] = note }
        return id
    }

    private func nextID() -> Message.ID { messageID("\(count.add(1, ordering: .relaxed).newValue)") }

    private func messageID(_ number: String) -> Message.ID { Message.ID(adapter: name, value: number) }

    private func message(_ content: Message.Content, by user: String, _ id: Message.ID) -> Message {
        let author = User(id: User.ID(adapter: name, value: user), name: user)
        return Message(id: id, user: author, room: Room(id: Room.ID(adapter: name, value: "wall")), content: content)
    }
}
