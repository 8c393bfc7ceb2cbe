import DequeModule
import Pacing

/// Something to be said to somebody or in a channel.
public struct Chat: Hashable, Sendable {
    /// A nick or a channel.
    public var target: String
    public var text: String
    /// Whether it is done and not said: CTCP ACTION, `/me`.
    public var isAction: Bool
    /// When it was wanted, on the session's clock.
    public var since: Duration

    /// Makes it of its parts; the text may have any length and any number of lines.
    public init(to target: String, _ text: String, isAction: Bool = false, since: Duration = .zero) {
        self.target = target
        self.text = text
        self.isAction = isAction
        self.since = since
    }
}

/// What waits to be sent, and when it may be.
///
/// What keeps us there (joining, modes) goes before what we say. What can't wait at all isn't put in, only counted.
struct SendQueue: Sendable {
    /// What is to be sent.
    enum Item {
        case errand(IRCMessage)
        /// Its first line; the others are put back.
        case chat(Chat)
    }

    private(set) var meter: PaceMeter
    private let limit: Int
    private static let mostErrands = 1_000
    private var errands = Deque<IRCMessage>()
    private var chats = Deque<Chat>()
    /// How many chats found no room since that was told last.
    private(set) var lost = 0
    private var lossTold: Duration?
    /// Whether chats may go out; until our channels are joined they wait.
    var isOpen = false

    init(_ pace: Pace, limit: Int, waiting: [Chat]) {
        meter = PaceMeter(pace)
        self.limit = max(limit, 1)
        chats = Deque(waiting.prefix(self.limit))
        lost = waiting.count - chats.count
    }

    /// What is not sent yet of what we wanted to say.
    var unsent: [Chat] { Array(chats) }

    /// Takes it in; what others make us do has an end.
    mutating func put(_ errand: IRCMessage) {
        if errands.count < Self.mostErrands { errands.append(errand) }
    }

    /// Takes it in, or counts it as lost where too much is waiting already.
    mutating func put(_ chat: Chat) {
        if chats.count < limit { chats.append(chat) } else { lost += 1 }
    }

    /// How many were lost, to be told at once and then every ten seconds at the most.
    mutating func takeLoss(at now: Duration) -> Int? {
        guard lost > 0, lossTold.map({ now - $0 >= .seconds(10) }) ?? true else { return nil }
        defer { lost = 0 }
        lossTold = now
        return lost
    }

    /// Counts a line that is sent now.
    mutating func count(at now: Duration) { meter.count(at: now) }

    /// Starts counting anew: what came before we were welcomed costs nothing.
    mutating func restart() { meter = PaceMeter(meter.pace) }

    /// Takes out what is to be sent next, where something may be now.
    mutating func next(at now: Duration) -> Item? {
        guard meter.isReady(at: now) else { return nil }
        if let errand = errands.popFirst() { return .errand(errand) }
        return isOpen ? chats.popFirst().map(Item.chat) : nil
    }

    /// Puts back what is left of a chat, to be taken out next.
    mutating func putBack(_ rest: Chat) { chats.prepend(rest) }

    /// When the next line may be sent; nil where there is none.
    var due: Duration? {
        guard !errands.isEmpty || isOpen && !chats.isEmpty else { return nil }
        return meter.ready ?? .zero
    }
}
