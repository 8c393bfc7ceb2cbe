import FoundationEssentials
public import Heybot
import Logging
import Synchronization

/// Talks with whoever is at the keyboard, or with a pipe or a file: lines in, lines out.
///
/// It is a private conversation, so the robot's name need not be said. Each line is dealt with before the next is read,
/// and at the end of the input all has been answered.
///
/// On a terminal the line can be edited, with a history and completion, and what the robot says appears above it at any
/// time: there a line doesn't wait for the one before.
public final class ShellAdapter: Adapter {
    /// Where its lines come from.
    public enum Input: Hashable, Sendable {
        /// A file descriptor; standard input is 0.
        case descriptor(Int32)
        /// This one message, and no more.
        case message(String)
    }

    public let name = "shell"
    /// Whoever is at the keyboard.
    public let user: User
    private let robotName: String
    private let input: Input
    private let output: Int32
    private let terminal: TerminalOptions
    private let writer: LineWriter
    /// The terminal with its prompt, while there is one.
    private let console = Mutex<Console?>(nil)
    private let currentStatus = Mutex(AdapterStatus.starting)
    private let logger = Logger(label: "heybot.shell")

    /// - Parameters:
    ///   - robotName: What the prompt says on a terminal.
    ///   - output: The file descriptor to write to.
    ///   - terminal: How it behaves if input and output are a terminal.
    public init(
        robotName: String = "Heybot", userID: String = "1", userName: String = "Shell",
        input: Input = .descriptor(0), output: Int32 = 1,
        terminal: TerminalOptions = TerminalOptions()
    ) {
        self.robotName = robotName
        self.input = input
        self.output = output
        self.terminal = terminal
        user = User(id: User.ID(adapter: name, value: userID), name: userName)
        writer = LineWriter(output)
    }

    public var status: AdapterStatus { currentStatus.withLock { $0 } }

    public func run(_ inbox: Inbox) async throws {
        currentStatus.withLock { $0 = .up(since: .now) }
        do {
            try await listen(inbox)
            currentStatus.withLock { $0 = .ended(since: .now) }
        } catch {
            currentStatus.withLock { $0 = .down(since: .now, reason: "\(error)") }
            throw error
        }
    }

    private func listen(_ inbox: Inbox) async throws {
        switch input {
        case .message(let text):
            await inbox.handle(message(text, 1))
            try writer.check()
        case .descriptor(let descriptor):
            let isTerminal = isTerminal(descriptor) && isTerminal(output)
            if isTerminal, terminal.edits {
                try await chat(inbox, on: descriptor)
            } else {
                try await run(inbox, LineReader(descriptor), isTerminal: isTerminal)
            }
        }
    }

    private func chat(_ inbox: Inbox, on descriptor: Int32) async throws {
        let (lines, sent) = AsyncStream<String>.makeStream()
        let console = try Console(
            Console.Setup(
                robotName: robotName, input: descriptor, output: output, options: terminal,
                usages: { [user, room] in inbox.commands(for: user, in: room).map(\.usage) }, lines: sent))
        self.console.withLock { $0 = console }
        defer { self.console.withLock { $0 = nil } }
        async let received: Void = receive(lines, inbox)
        try await withTaskCancellationHandler {
            try await console.run()
        } onCancel: {
            console.leave()
        }
        await received
    }

    private func receive(_ lines: AsyncStream<String>, _ inbox: Inbox) async {
        var number = 0
        for await line in lines {
            number += 1
            await inbox.receive(message(line, number))
        }
    }

    /// Prints text above the prompt, as a log does; its colours (`ESC [ numbers m`) stay.
    ///
    /// It never blocks, and may be called from any thread.
    ///
    /// - Returns: False if no prompt is on show, so that the caller must write the text itself.
    public func showAbove(_ text: String) -> Bool {
        console.withLock { $0 }?.show(text) ?? false
    }

    private func run(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws {
        do {
            if try await !readLines(inbox, reader, isTerminal: isTerminal) { return }
        } catch is CancellationError {}
        // Whoever was at the prompt is on a line of their own again.
        if isTerminal { try? await writer.write("\n") }
    }

    /// Deals with one line after another; false if somebody took their leave, true at the end of the input.
    private func readLines(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws -> Bool {
        var number = 0
        while !Task.isCancelled {
            if isTerminal { try await writer.write("\(robotName)> ") }
            guard let line = try await reader.next() else { break }
            if reader.gavePiece { logger.warning("a line of more than \(LineReader.longest) bytes is taken in pieces") }
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            if Self.takesLeave(line) { return false }
            number += 1
            await inbox.handle(message(line, number))
            try writer.check()
        }
        return true
    }

    /// Whether whoever is at the keyboard leaves with that line.
    static func takesLeave(_ line: String) -> Bool {
        ["exit", "quit", "/exit", "/quit"].contains(line.trimming(while: \.isWhitespace).lowercased())
    }

    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        var line =
            switch utterance {
            case .text, .attachment: utterance.content
            case .reply(let text): envelope.plainReply(text)
            case .emote(let text): "* \(text)"
            case .topic(let text): "* the topic is now: \(text)"
            }
        // What was meant for another room says so: a name that is mistyped shows.
        if envelope.room.id != room.id { line = "[\(envelope.room.name)] \(line)" }
        if let console = console.withLock({ $0 }), try await console.say(line) { return }
        try await writer.write((isTerminal(output) ? TerminalText.safe(line) : line) + "\n")
    }

    private var room: Room {
        Room(id: Room.ID(adapter: name, value: "Shell"), isPrivate: true)
    }

    private func message(_ text: String, _ number: Int) -> Message {
        Message(
            id: Message.ID(adapter: name, value: "\(number)"), user: user,
            room: room, content: .text(text))
    }
}

extension String {
    fileprivate func trimming(while isIn: (Character) -> Bool) -> Substring {
        let rest = drop(while: isIn)
        return rest.lastIndex { !isIn($0) }.map { rest[...$0] } ?? ""
    }
}

/// Why the shell can't go on.
public enum ShellError: Error, Hashable, CustomStringConvertible {
    /// Nobody reads what we write any more.
    case outputClosed
    /// Reading or writing failed, for the system's reason.
    case failed(String)

    public var description: String {
        switch self {
        case .outputClosed: "nobody reads the answers any more, so there is no use in going on"
        case .failed(let reason): reason
        }
    }
}
