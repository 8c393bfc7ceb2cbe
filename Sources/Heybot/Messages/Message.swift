public import FoundationEssentials

/// An event in a room: a text, a user who enters or leaves, a new topic, a reaction, a retraction, or a new name.
public struct Message: Codable, Hashable, Identifiable, Sendable {
    /// The id of a message, unique within its adapter.
    public typealias ID = ScopedID<Message>

    /// The kind of event, with its text.
    public enum Content: Hashable, Sendable {
        /// A user sent a text.
        case text(String)
        /// A user entered the room.
        case enter
        /// A user left the room, perhaps with a reason.
        case leave(reason: String?)
        /// A user changed the topic.
        case topic(String)
        /// A user added reactions to a message, or removed them.
        case reaction(Reaction)
        /// A user, or a moderator of the room, retracted a message.
        case retraction(of: ID)
        /// A user changed their name, or another part of their profile; the message's user has the new one.
        case profile(ProfileChange)
    }

    /// The properties that few messages have.
    struct Relations: Hashable, Sendable {
        var reply: Reply?
        var thread: String?
        var correction: ID?
        var attachments: [AttachedFile] = []
    }

    /// A reference to relations, so that a message without any needs little space for them.
    final class RelationsBox: Hashable, Sendable {
        let relations: Relations

        init(_ relations: Relations) { self.relations = relations }

        static func == (one: RelationsBox, other: RelationsBox) -> Bool { one.relations == other.relations }

        func hash(into hasher: inout Hasher) { hasher.combine(relations) }
    }

    @usableFromInline
    struct Fields: Hashable, Sendable {
        @usableFromInline var id: ID
        @usableFromInline var user: User
        @usableFromInline var room: Room
        @usableFromInline var content: Content
        @usableFromInline var time: Date
        @usableFromInline var isAddressed: Bool
        var origin: String?
        var isLate = false
        var isAction = false
        /// Nil if it has none.
        var relations: RelationsBox?
    }

    /// The message's storage, shared by its copies: messages are copied more often than anything else.
    ///
    /// Other modules read its parts without copying more than they need.
    @usableFromInline
    final class Storage: Sendable {
        @usableFromInline let fields: Fields
        @usableFromInline let sender: User.ID

        init(_ fields: Fields) {
            self.fields = fields
            sender = fields.origin.map { User.ID(adapter: fields.room.id.adapter, value: $0) } ?? fields.user.id
        }
    }

    @usableFromInline var storage: Storage

    /// Creates a message, sent now unless a time is given.
    public init(
        id: ID, user: User, room: Room, content: Content, time: Date = .now, isAddressed: Bool = false,
        origin: String? = nil
    ) {
        storage = Storage(
            Fields(
                id: id, user: user, room: room, content: content, time: time, isAddressed: isAddressed, origin: origin))
    }

    /// Creates a message that is sent now, with a random id, for a service that gives it none.
    public init(user: User, room: Room, content: Content) {
        let id = ID(adapter: room.id.adapter, value: UUID().uuidString)
        self.init(id: id, user: user, room: room, content: content)
    }

    private var fields: Fields {
        get { storage.fields }
        set { storage = Storage(newValue) }
    }

    /// The message's id, unique within its adapter.
    @inlinable public var id: ID { storage.fields.id }

    /// Returns the message with another id.
    package func withID(_ id: ID) -> Message {
        var copy = self
        copy.fields.id = id
        return copy
    }

    /// The user who sent or caused it.
    public var user: User {
        @inlinable get { storage.fields.user }
        set { fields.user = newValue }
    }

    /// The room in which it happened.
    public var room: Room {
        @inlinable get { storage.fields.room }
        set { fields.room = newValue }
    }

    /// The kind of event, with its text.
    public var content: Content {
        @inlinable get { storage.fields.content }
        set { fields.content = newValue }
    }

    /// The time at which it was sent, as reported by the adapter.
    public var time: Date {
        @inlinable get { storage.fields.time }
        set { fields.time = newValue }
    }

    /// Whether the service marks the message as addressed to the robot, so that its name needn't be in the text.
    public var isAddressed: Bool {
        @inlinable get { storage.fields.isAddressed }
        set { fields.isAddressed = newValue }
    }

    /// Whether it was sent while the robot was disconnected, so that its user may no longer want it.
    ///
    /// Such a message answers no question, and runs no command that needs a role or a confirmation.
    public var isLate: Bool {
        get { storage.fields.isLate }
        set { fields.isLate = newValue }
    }

    /// Whether the text is an action, as in `/me waves`, but without the `/me`.
    package var isAction: Bool {
        get { storage.fields.isAction }
        set { fields.isAction = newValue }
    }

    /// The key for rate limits and ordering: the ``origin`` if there is one, or else the user's id.
    package var sender: User.ID { storage.sender }

    /// Identifies the sender for rate limits and ordering; nil to use the user's id.
    ///
    /// Set it on services where users can change their id at any time, to something that is harder to change, such as
    /// the connection.
    public var origin: String? {
        get { storage.fields.origin }
        set { fields.origin = newValue }
    }

    private var relations: Relations {
        get { storage.fields.relations?.relations ?? Relations() }
        set { fields.relations = newValue == Relations() ? nil : RelationsBox(newValue) }
    }

    /// The message that it answers, if its user has marked it as a reply to one.
    public var reply: Reply? {
        get { storage.fields.relations?.relations.reply }
        set { relations.reply = newValue }
    }

    /// The thread that it belongs to, as the service names it.
    public var thread: String? {
        get { storage.fields.relations?.relations.thread }
        set { relations.thread = newValue }
    }

    /// The id of the user's earlier message that it corrects.
    ///
    /// Listeners hear a correction if it is a command and the robot hasn't understood the original, or if they were registered
    /// with `onEdit: true`.
    public var correction: ID? {
        get { storage.fields.relations?.relations.correction }
        set { relations.correction = newValue }
    }

    /// The files that were sent with it.
    public var attachments: [AttachedFile] {
        get { storage.fields.relations?.relations.attachments ?? [] }
        set { relations.attachments = newValue }
    }

    public static func == (one: Message, other: Message) -> Bool {
        one.storage === other.storage || one.fields == other.fields
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }

    /// The text; nil if the message is another kind of event.
    public var text: String? {
        if case .text(let text) = content { text } else { nil }
    }
}
