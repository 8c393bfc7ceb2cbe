import HeybotSupport

/// Finds out, from archives, which commands a killed robot hasn't answered.
///
/// The ids of the robot's own messages tell which command they answer. A message whose id doesn't tell counts as the answer to the
/// oldest command in the same conversation. A command that needs no answer may be handled again.
///
/// Before a command is handled, an attempt is recorded for the next robot, so that a command that kills each robot is given up.
package struct UnansweredCommands: Sendable {
    /// Returns how many robots have handled a message of an archive since one was killed.
    package typealias AttemptCounts = @Sendable (_ archive: JID, _ id: String) -> Int

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
        /// The size of their texts, in bytes.
        var size = 0
        var kept: [KeptMessage] = []
        /// The ids of the commands: an overloaded ejabberd may tell each twice.
        var ids: Set<String> = []
        /// The ids of the messages that the account's archive has told.
        var told: Set<String> = []
        /// The number of commands that were too many, and had no answer so far.
        var dropped = 0

        mutating func remove(at index: Int) { size -= UnansweredCommands.size(commands.remove(at: index).actions) }

        /// Removes the command with an id.
        mutating func remove(_ id: String) {
            if let index = commands.firstIndex(where: { $0.id == id }) { remove(at: index) }
        }
    }

    /// What is left to handle of an archive, while the attempts are being recorded.
    private struct Attempt: Sendable {
        /// The ids of the commands in the archive.
        let ids: [String]
        let actions: [Session.Action]
    }

    /// The time of the earliest command, on the session's clock.
    private let since: Duration
    /// When the session began.
    private var began: Duration
    private let attempts: AttemptCounts
    private let account: JID
    /// The archives to ask, each once.
    private var unasked: Set<JID>
    /// The archives that are being asked.
    private var questions: [JID: Question] = [:]
    private var recording: [JID: Attempt] = [:]
    /// The ids of the messages that the account's archive has told: the server may deliver one later, when it ends the session
    /// of the killed robot.
    private var settled: Set<String> = []
    /// The ids of the messages that the killed robot has answered: one in a room may have a private answer.
    private var answered: Set<String> = []
    /// The ids of the session's own messages, which answer what it has heard itself.
    private var sent: Set<String> = []
    private static let (maxKept, maxAnswered) = (500, 20_000)
    /// The maximum number of commands without an answer, for each archive, and of bytes of their texts.
    private static let (maxCommands, maxSize) = (1_000, 1_048_576)
    /// The maximum number of robots that handle a command after the one that was killed first.
    private static let maxAttempts = 4
    /// A room that is joined after this time isn't asked any more.
    private static let longestWait: Duration = .seconds(300)
    /// Rooms that haven't been joined within this time don't count as unfinished.
    private static let joinTime: Duration = .seconds(60)

    /// - Parameters:
    ///   - since: The time of the earliest command, on the session's clock.
    ///   - attempts: Returns how many robots have handled a message of an archive since one was killed.
    ///   - account: The address of the account's archive.
    ///   - rooms: The rooms that the killed robot may have been in.
    init(
        since: Duration, at now: Duration, attempts: @escaping AttemptCounts = { _, _ in 0 }, account: JID, rooms: [JID]
    ) {
        (self.since, began, self.attempts, self.account) = (since, now, attempts, account)
        unasked = Set(rooms + [account])
    }

    /// Whether an archive is being asked.
    func isAsking(_ archive: JID) -> Bool { questions[archive] != nil }

    /// Whether any archive is being asked, or will be soon, or its commands aren't handled yet.
    func isUnfinished(at now: Duration) -> Bool {
        !questions.isEmpty || !recording.isEmpty || !unasked.isEmpty && now - began < Self.joinTime
    }

    /// The same for another session, which asks those archives again whose commands haven't been handled.
    func restarted(at now: Duration) -> UnansweredCommands {
        var new = self
        new.began = now
        new.unasked.formUnion(questions.keys)
        new.unasked.formUnion(recording.keys)
        (new.questions, new.recording, new.sent) = ([:], [:], [])
        return new
    }

    /// Returns the time since which to ask an archive; nil if it isn't to be asked.
    mutating func ask(_ archive: JID, at now: Duration) -> Duration? {
        guard now - began < Self.longestWait, unasked.remove(archive) != nil else { return nil }
        questions[archive] = Question()
        return since
    }

    /// Notes that an archive has told a message.
    mutating func noteTold(_ id: String, by archive: JID) {
        if archive == account { questions[archive]?.told.insert(id) }
    }

    /// Holds a command back until the archive has told everything.
    ///
    /// - Parameter id: The command's id in the archive.
    mutating func hold(_ actions: [Session.Action], _ id: String?, of conversation: JID, in archive: JID) {
        if let id, answered.contains(id) { return }
        guard var question = questions.removeValue(forKey: archive) else { return }
        defer { questions[archive] = question }
        if let id, !question.ids.insert(id).inserted { return }
        question.commands.append(Command(conversation: conversation, id: id, actions: actions))
        question.size += Self.size(actions)
        while question.commands.count > Self.maxCommands || question.size > Self.maxSize, !question.commands.isEmpty {
            question.size -= Self.size(question.commands.removeFirst().actions)
            question.dropped += 1
        }
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
            if self.answered.count < Self.maxAnswered { self.answered.insert(answered) }
            for archive in questions.keys { questions[archive]?.remove(answered) }
        case .unknown:
            // It may answer a command that was dropped.
            if let dropped = questions[archive]?.dropped, dropped > 0 {
                questions[archive]?.dropped -= 1
            } else if let oldest = questions[archive]?.commands.firstIndex(where: { $0.conversation == conversation }) {
                questions[archive]?.remove(at: oldest)
            }
        }
    }

    /// Notes that the session sends a message itself, while it asks archives.
    mutating func noteSent(_ id: String) {
        if !questions.isEmpty { sent.insert(id) }
    }

    /// Ends the question to an archive.
    ///
    /// - Parameter isComplete: Whether the archive has told everything; otherwise some answers aren't known.
    /// - Returns: The actions that handle what the server has kept and the archive hasn't told; if there are commands without an
    ///   answer, one that records attempts to handle them before the others.
    mutating func end(_ archive: JID, isComplete: Bool) -> [Session.Action] {
        guard let question = questions.removeValue(forKey: archive) else { return [] }
        if questions.isEmpty { sent = [] }
        func abandoned(_ count: Int, _ reason: LogEntry.AbandonReason) -> [Session.Action] {
            count == 0 ? [] : [.log(.commandsAbandoned(count, reason, in: archive == account ? nil : archive))]
        }
        guard isComplete else {
            return abandoned(question.commands.count + question.dropped, .answersUnknown) + question.kept.map(\.action)
        }
        if archive == account { settled = question.told }
        let untold = question.kept.filter { !question.told.contains($0.id) }.map(\.action)
        let hopeful = question.commands.filter { $0.id.map { attempts(archive, $0) } ?? 0 < Self.maxAttempts }
        let hopeless = question.commands.count - hopeful.count
        let log = abandoned(question.dropped, .tooMany) + abandoned(hopeless, .killedRobots)
        guard !hopeful.isEmpty else { return log + untold }
        let ids = hopeful.compactMap(\.id)
        recording[archive] = Attempt(ids: ids, actions: hopeful.flatMap(\.actions) + untold)
        return log + [.recordAttempts(ids, of: archive)]
    }

    /// Ends the question to an archive that hasn't answered: if the connection is broken, the next session asks it.
    ///
    /// - Returns: The actions that handle what the server has kept.
    mutating func giveUp(_ archive: JID) -> [Session.Action] {
        guard questions[archive] != nil else { return [] }
        unasked.insert(archive)
        return end(archive, isComplete: false)
    }

    /// Returns what is left to handle of an archive, once the attempts are recorded.
    mutating func noteRecorded(_ archive: JID) -> [Session.Action] {
        recording.removeValue(forKey: archive)?.actions ?? []
    }

    /// The actions that record attempts again, because the connection broke meanwhile.
    var recordAgain: [Session.Action] { recording.map { .recordAttempts($0.value.ids, of: $0.key) } }

    private static func size(_ actions: [Session.Action]) -> Int {
        actions.reduce(0) { size, action in
            guard case .hear(let event) = action else { return size }
            guard case .text(let text) = event.content else { return size }
            return size + text.utf8.count
        }
    }
}
