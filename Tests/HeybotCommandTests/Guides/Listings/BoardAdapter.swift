import FoundationEssentials
import Heybot
import Synchronization

/// An adapter for a board of notes, which can be answered and changed, and have threads, files and reactions.
final class BoardAdapter: MessageChanging {
    let name = "board"
    let status = AdapterStatus.up(since: .now)
    /// Everything, but the board doesn't know who has read a note.
    let messageFeatures = Set(MessageFeature.allCases).subtracting([.reading])
    let notes = Mutex<[Message.ID: Message]>([:])
    let reactions = Mutex<[Message.ID: [String]]>([:])
    let isRobotWriting = Atomic(false)
    private let input = AsyncStream<Message>.makeStream()
    private var robot: User { User(id: id("robot")) }

    func run(_ inbox: Inbox) async {
        for await message in input.stream { await inbox.receive(message) }
    }

    func send(_ utterance: Utterance, to envelope: Envelope) throws -> Message.ID? {
        if case .topic = utterance { throw AdapterError(.unsupported, "a board has no topic") }
        var note = Message(user: robot, room: envelope.room, content: .text(utterance.content))
        note.thread = envelope.thread
        if case .reply = utterance { note.reply = Message.Reply(message: envelope.message) }
        if case .attachment(let file) = utterance { note.attachments = [Message.AttachedFile(url: file.name)] }
        notes.withLock { $0[note.id] = note }
        isRobotWriting.store(false, ordering: .relaxed)
        return note.id
    }

    func change(_ note: Message.ID, _ change: MessageChange, in envelope: Envelope) -> Bool {
        guard notes.withLock({ $0[note] != nil }) else { return false }
        switch change {
        case .edit(let utterance): notes.withLock { $0[note]?.content = .text(utterance.content) }
        case .react(let reaction): reactions.withLock { $0[note, default: []].append(reaction) }
        case .unreact(let reaction): reactions.withLock { $0[note, default: []].removeAll { $0 == reaction } }
        case .retract: notes.withLock { $0[note] = nil }
        }
        return true
    }

    func showTyping(_ isTyping: Bool, in envelope: Envelope) { isRobotWriting.store(isTyping, ordering: .relaxed) }

    /// Receives what a user does; only its author can correct a note or take it down.
    func receive(_ content: Message.Content, by user: String, details: (inout Message) -> Void = { _ in }) {
        var message = Message(user: User(id: id(user)), room: Room(id: id("wall")), content: content)
        details(&message)
        let original: Message.ID? = if case .retraction(let note) = content { note } else { message.correction }
        notes.withLock { notes in
            if let original, notes[original]?.user != message.user { return }
            if let note = message.reply?.message, let answered = notes[note] {
                message.reply?.text = answered.text
                message.isAddressed = answered.user == robot
            }
            notes[original ?? message.id] = message.text == nil ? nil : message
            input.continuation.yield(message)
        }
    }
}
