import FoundationEssentials
public import Heybot
import Logging
import Synchronization

/// Chats in a terminal, a pipe or a file, line by line.
///
/// It is a private conversation, so the robot's name is optional. A line is read after the one before it was handled, so
/// that at the end of the input everything was answered.
///
/// In a terminal there is a line editor with history and completion. Answers appear above the input line at any time,
/// and a line doesn't wait for the one before it.
public final class ShellAdapter: Adapter {
    /// The source of lines.
    public enum InputSource: Hashable, Sendable {
        /// A file descriptor, such as 0 for standard input.
        case descriptor(Int32)
        /// A single message.
        case message(String)
    }

    public let name = "shell"
    /// The user at the terminal.
    public let user: User
    let robotName: String
    /// How many lines the robot has sent.
    let sentCount = Atomic(0)
    private let input: InputSource
    private let output: Int32
    private let terminal: TerminalChatOptions
    private let onInterrupt: @Sendable () -> Void
    private let writer: DescriptorWriter
    /// The chat's thread, while the line editor is running.
    private let chatThread = Mutex<TerminalChatThread?>(nil)
    private let currentStatus = Mutex(AdapterStatus.starting)
    private let logger = Logger(label: "heybot.shell")

    /// Creates a shell adapter.
    ///
    /// - Parameters:
    ///   - robotName: The name in the prompt.
    ///   - userID: The id of the user at the terminal.
    ///   - userName: The name of the user at the terminal.
    ///   - input: The source of lines.
    ///   - output: The file descriptor to write to.
    ///   - terminal: Options that apply if input and output are a terminal.
    ///   - onInterrupt: The action of Ctrl-C on an empty line; by default the process gets SIGINT, as without a line editor.
    public init(
        robotName: String = "Heybot", userID: String = "1", userName: String = "Shell",
        input: InputSource = .descriptor(0), output: Int32 = 1,
        terminal: TerminalChatOptions = TerminalChatOptions(), onInterrupt: (@Sendable () -> Void)? = nil
    ) {
        self.robotName = robotName
        self.input = input
        self.output = output
        self.terminal = terminal
        self.onInterrupt = onInterrupt ?? { interruptProcess() }
        user = User(id: User.ID(adapter: name, value: userID), name: userName)
        writer = DescriptorWriter(output)
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
        let chatThread = try TerminalChatThread(
            TerminalChatThread.Configuration(
                robotName: robotName, input: descriptor, output: output, options: terminal,
                usages: { [user, room] in inbox.commands(for: user, in: room).map(\.usage) }, lines: sent,
                onInterrupt: onInterrupt))
        self.chatThread.withLock { $0 = chatThread }
        defer { self.chatThread.withLock { $0 = nil } }
        async let received: Void = receive(lines, inbox)
        try await withTaskCancellationHandler {
            try await chatThread.run()
        } onCancel: {
            chatThread.quit()
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

    /// Prints text above the prompt, such as a log line.
    ///
    /// Its colors (`ESC [ numbers m`) are kept.
    ///
    /// It doesn't block, and may be called from any thread.
    ///
    /// - Returns: False if there is no prompt. Then the caller must write the text itself.
    public func showAbove(_ text: String) -> Bool {
        chatThread.withLock { $0 }?.show(text) ?? false
    }

    private func run(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws {
        do {
            if try await !readLines(inbox, reader, isTerminal: isTerminal) { return }
        } catch is CancellationError {}
        // Ends the line with the prompt.
        if isTerminal { try? await writer.write("\n") }
    }

    /// Handles one line after another.
    ///
    /// - Returns: False if the user exited, true at the end of the input.
    private func readLines(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws -> Bool {
        var number = 0
        while !Task.isCancelled {
            if isTerminal { try await writer.write("\(robotName)> ") }
            guard let line = try await reader.next() else { break }
            if reader.returnedPart { logger.warning("a line of more than \(LineReader.maxLength) bytes was split") }
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            if Self.isExitCommand(line) { return false }
            number += 1
            await inbox.handle(message(line, number))
            try writer.check()
        }
        return true
    }

    /// Whether the line is a command to exit.
    static func isExitCommand(_ line: String) -> Bool {
        ["exit", "quit", "/exit", "/quit"].contains(line.trimming(while: \.isWhitespace).lowercased())
    }

    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        var line =
            switch utterance {
            case .text(let text): text
            case .attachment(let attachment): try SavedAttachment(attachment).text
            case .reply(let text): envelope.plainReply(text)
            case .emote(let text): "* \(text)"
            case .topic(let text): "* the topic is now: \(text)"
            }
        // Messages for other rooms name the room, so that a misspelled name is noticed.
        if envelope.room.id != room.id { line = "[\(envelope.room.name)] \(line)" }
        if let chatThread = chatThread.withLock({ $0 }), try await chatThread.say(line) { return }
        try await writer.write((isTerminal(output) ? TerminalSanitizer.safe(line) : line) + "\n")
    }

    private var room: Room { Room(id: id("Shell"), isPrivate: true) }

    private func message(_ text: String, _ number: Int) -> Message {
        Message(id: id("\(number)"), user: user, room: room, content: .text(text))
    }
}

extension String {
    fileprivate func trimming(while isIn: (Character) -> Bool) -> Substring {
        let rest = drop(while: isIn)
        return rest.lastIndex { !isIn($0) }.map { rest[...$0] } ?? ""
    }
}

/// The reason why the shell adapter can't continue.
public enum ShellError: Error, Hashable, CustomStringConvertible {
    /// The reader closed the output.
    case outputClosed
    /// Reading or writing failed. The text has the system's reason.
    case failed(String)

    public var description: String {
        switch self {
        case .outputClosed: "the program that reads the answers closed the output"
        case .failed(let reason): reason
        }
    }
}
