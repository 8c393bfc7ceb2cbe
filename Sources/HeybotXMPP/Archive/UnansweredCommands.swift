/// Finds out, from archives, which commands of the last minute a killed robot hasn't answered.
///
/// The ids of the robot's own messages tell which command they answer. A message whose id doesn't tell counts as the answer to the
/// oldest command in the same conversation. A command that needs no answer may be handled again.
struct UnansweredCommands: Sendable {
    /// A command, and the actions that handle it.
    private struct Command: Sendable {
        /// A room, or the person who has sent the command.
        let conversation: JID
        /// Its id in the archive, if it has one.
        let id: String?
        let actions: [Session.Action]
    }

    /// A message that the server has kept for the killed robot, and delivered now.
    private struct KeptMessage: Sendable {
        /// Its id in the archive.
        let id: String
        let action: Session.Action
    }

    /// What is held back until an archive has told everything.
    private struct Question: Sendable {
        /// The commands without an answer so far.
        var commands: [Command] = []
        var kept: [KeptMessage] = []
        /// The ids of the messages that the archive has told.
        var told: Set<String> = []
    }

    /// The time of the earliest command, on the session's clock.
    private let since: Duration
    /// The archives to ask, each once.
    private var unasked: Set<JID>
    /// The archives that are being asked.
    private var questions: [JID: Question] = [:]
    /// The ids of the messages that the account's archive has told: the server may deliver one later, when it ends the session
    /// of the killed robot.
    private var settled: Set<String> = []
    /// The ids of the session's own messages, which answer what it has heard itself.
    private var sent: Set<String> = []
    private static let maxKept = 500
    /// After this time, the commands are too old.
    private static let longestWait: Duration = .seconds(300)

    /// - Parameters:
    ///   - since: The time of the earliest command, on the session's clock.
    ///   - archives: The archives of the account and of the rooms that the killed robot may have been in.
    init(since: Duration, archives: [JID]) { (self.since, unasked) = (since, Set(archives)) }

    /// Whether an archive is being asked.
    func isAsking(_ archive: JID) -> Bool { questions[archive] != nil }

    /// Whether any archive is being asked.
    var isAskingAny: Bool { !questions.isEmpty }

    /// The same for another session, which asks those archives again that haven't told everything.
    var restarted: UnansweredCommands {
        var new = self
        new.unasked.formUnion(questions.keys)
        (new.questions, new.sent) = ([:], [])
        return new
    }

    /// Returns the time since which to ask an archive; nil if it isn't to be asked.
    mutating func ask(_ archive: JID, at now: Duration) -> Duration? {
        guard now - since < Self.longestWait, unasked.remove(archive) != nil else { return nil }
        questions[archive] = Question()
        return since
    }

    /// Notes that an archive has told a message.
    mutating func noteTold(_ id: String, by archive: JID) { questions[archive]?.told.insert(id) }

    /// Holds a command back until the archive has told everything.
    ///
    /// - Parameter id: The command's id in the archive.
    mutating func hold(_ actions: [Session.Action], _ id: String?, of conversation: JID, in archive: JID) {
        questions[archive]?.commands.append(Command(conversation: conversation, id: id, actions: actions))
    }

    /// Holds a message back that the server has kept, until the archive has told whether it was answered.
    ///
    /// - Parameter id: The message's id in the archive.
    /// - Returns: False if the message is to be handled now: the archive isn't being asked, and hasn't told the message.
    mutating func holdKept(_ action: Session.Action, _ id: String, in archive: JID) -> Bool {
        if settled.contains(id) { return true }
        guard let count = questions[archive]?.kept.count, count < Self.maxKept else { return false }
        questions[archive]?.kept.append(KeptMessage(id: id, action: action))
        return true
    }

    /// Removes the command that one of the robot's own messages answers.
    ///
    /// - Parameter id: The id of the own message.
    mutating func answer(_ id: String?, in conversation: JID, of archive: JID) {
        if let id, sent.contains(id) { return }
        switch AnsweredMessage(toldBy: id) {
        case .nothing: break
        case .message(let answered):
            // A command in a room may have a private answer.
            for archive in questions.keys { questions[archive]?.commands.removeAll { $0.id == answered } }
        case .unknown:
            let oldest = questions[archive]?.commands.firstIndex { $0.conversation == conversation }
            if let oldest { questions[archive]?.commands.remove(at: oldest) }
        }
    }

    /// Notes that the session sends a message itself, while it asks archives.
    mutating func noteSent(_ id: String) {
        if !questions.isEmpty { sent.insert(id) }
    }

    /// Ends the question to an archive.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the archive has told everything; otherwise some answers aren't known.
    ///   - isOfAccount: Whether it is the account's archive, and not a room's.
    /// - Returns: The actions that handle the commands without an answer, and what the server has kept and the archive
    ///   hasn't told.
    mutating func end(_ archive: JID, isComplete: Bool, isOfAccount: Bool = false) -> [Session.Action] {
        guard let question = questions.removeValue(forKey: archive) else { return [] }
        if questions.isEmpty { sent = [] }
        guard isComplete else { return question.kept.map(\.action) }
        if isOfAccount { settled = question.told }
        let untold = question.kept.filter { !question.told.contains($0.id) }
        return question.commands.flatMap(\.actions) + untold.map(\.action)
    }
}
