import Heybot
import HeybotSupport
import HeybotXMPP
import NetworkAdapter

// Runs the ad-hoc commands of users (XEP-0050), as if they had sent the chat commands as direct messages.

/// A request about ad-hoc commands, which waits for the robot.
struct QueuedCommand: Sendable {
    /// The session's request.
    let request: CommandRequest
    /// The command, as a direct message of the user; the text is empty if none is to run.
    let message: Message
}

/// The answers of ad-hoc commands: they are shown in the form, not as messages.
struct CommandAnswers: Sendable {
    private struct Answers: Sendable {
        let room: Room.ID
        var texts: [String] = []
    }

    private var all: [Message.ID: Answers] = [:]
    private static let maxTexts = 100

    /// Whether no such command runs.
    var isEmpty: Bool { all.isEmpty }
    /// The number of commands that run.
    var count: Int { all.count }

    /// Notes that a command runs.
    mutating func begin(_ message: Message) { all[message.id] = Answers(room: message.room.id) }

    /// Takes an answer, if it is one in private to the user of such a command.
    mutating func take(_ text: String, _ envelope: Envelope) -> Bool {
        guard let message = envelope.message, let answers = all[message], answers.room == envelope.room.id,
            answers.texts.count < Self.maxTexts
        else { return false }
        all[message]?.texts.append(text)
        return true
    }

    /// Removes and returns the answers of a command.
    mutating func end(_ message: Message) -> String {
        (all.removeValue(forKey: message.id)?.texts ?? []).joined(separator: "\n")
    }
}

extension XMPPSessionManager {
    /// The maximum length of an answer in a form, in bytes; its lines add to the size of the stanza.
    private static let longestFormAnswer = 6_000
    private static let maxFormLines = 100

    /// Passes a request on to the robot.
    mutating func serve(_ request: CommandRequest) {
        // A request that isn't served expires.
        guard let commandQueue, case .text(let command) = request.event.content else { return }
        let message = converter.message(request.event, .text(command), now: date())
        // The command can't answer before this returns, because the driver is locked.
        guard case .enqueued = commandQueue.yield(QueuedCommand(request: request, message: message)) else { return }
        if request.isRun { commandAnswers.begin(message) }
    }

    /// Tells a user which commands they may use.
    mutating func allowCommands(_ commands: Set<String>, for request: CommandRequest, at now: Duration) {
        perform(state.session?.allowCommands(commands, for: request.id, at: now) ?? [], at: now)
    }

    /// Shows a user the answers of a command in its form; if that is too late or they are too long, as a message.
    mutating func finish(_ command: QueuedCommand, at now: Duration) {
        let text = commandAnswers.end(command.message)
        let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        let isShort =
            text.utf8.count <= Self.longestFormAnswer && lines <= Self.maxFormLines
            && state.session?.fitsInOneStanza(text) == true
        let shown = text.isEmpty ? "I have no answer to that." : isShort ? text : "I've sent you a direct message."
        let actions = state.session?.finishCommand(command.request.id, shown)
        if let actions { perform(actions, at: now) }
        guard !text.isEmpty, actions == nil || !isShort else { return }
        let user = command.message.user.id.value
        guard let target = try? JID(user) else { return }
        say([OutgoingMessage(to: target, text, since: now, requester: RequesterIdentity(user))], at: now)
    }
}

extension XMPPAdapter {
    /// The number of requests that wait for the robot; the session has fewer.
    private static let maxQueuedCommands = 200

    /// Serves the requests of users about commands, until the task is canceled.
    func startServingCommands(_ inbox: Inbox) -> Task<Void, Never> {
        let (commands, queue) = AsyncStream.makeStream(
            of: QueuedCommand.self, bufferingPolicy: .bufferingOldest(Self.maxQueuedCommands))
        driver.withLock { $0.commandQueue = queue }
        return Task {
            await withDiscardingTaskGroup { group in
                for await command in commands { group.addTask { await self.serve(command, inbox) } }
            }
        }
    }

    private func serve(_ command: QueuedCommand, _ inbox: Inbox) async {
        guard command.request.isRun else {
            let (user, room) = (command.message.user, command.message.room)
            let available = Set(await inbox.presentCommands(for: user, in: room).map(\.command))
            driver.act { $0.allowCommands(available, for: command.request, at: $1) }
            return
        }
        await inbox.handle(command.message)
        driver.act { $0.finish(command, at: $1) }
    }
}
