/// The commands a robot has, as its listeners tell them.
public struct Help: Sendable {
    /// One command.
    public struct Entry: Hashable, Sendable {
        public let script: String
        /// The listener behind it.
        public let listener: String
        /// What to type, the robot's name in front where it is needed.
        public let usage: String
        public let description: String?
        public let access: Access

        /// `usage - description`.
        public var line: String { description.map { "\(usage) - \($0)" } ?? usage }
    }

    /// Every command, sorted by its line.
    public let entries: [Entry]

    init(_ listeners: [Listener], name: String) {
        entries =
            listeners
            .flatMap { listener in
                listener.help.map {
                    Entry(
                        script: listener.script, listener: listener.id,
                        usage: listener.trigger == .respond ? "\(name) \($0.usage)" : $0.usage,
                        description: $0.description, access: listener.access)
                }
            }
            .sorted { $0.line < $1.line }
    }
}
