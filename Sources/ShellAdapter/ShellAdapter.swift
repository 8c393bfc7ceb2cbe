import FoundationEssentials
public import Heybot
import Synchronization

/// Talks with whoever is at the keyboard, or with a pipe or a file: lines in, lines out.
///
/// It is a private conversation, so the robot's name need not be said. Each line is dealt with before the next is read,
/// and at the end of the input all has been answered.
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
    private let writer: LineWriter
    private let currentStatus = Mutex(AdapterStatus.starting)

    /// - Parameters:
    ///   - robotName: What the prompt says on a terminal.
    ///   - output: The file descriptor to write to.
    public init(
        robotName: String = "Heybot", userID: String = "1", userName: String = "Shell",
        input: Input = .descriptor(0), output: Int32 = 1
    ) {
        self.robotName = robotName
        self.input = input
        self.output = output
        user = User(id: User.ID(adapter: name, value: userID), name: userName)
        writer = LineWriter(output)
    }

    public var status: AdapterStatus { currentStatus.withLock { $0 } }

    public func run(_ inbox: Inbox) async throws {
        currentStatus.withLock { $0 = .up(since: .now) }
        defer { currentStatus.withLock { $0 = .down(since: .now, reason: "the input has ended") } }
        switch input {
        case .message(let text):
            await inbox.handle(message(text, 1))
            try writer.check()
        case .descriptor(let descriptor):
            try await run(inbox, LineReader(descriptor), isTerminal: isTerminal(descriptor) && isTerminal(output))
        }
    }

    private func run(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws {
        do {
            if try await !readLines(inbox, reader, isTerminal: isTerminal) { return }
        } catch is CancellationError {}
        // Whoever was at the prompt is on a line of their own again.
        if isTerminal { try? await writer.write("\n") }
    }

    /// Deals with one line after another; false where somebody took their leave, true at the end of the input.
    private func readLines(_ inbox: Inbox, _ reader: LineReader, isTerminal: Bool) async throws -> Bool {
        var number = 0
        while !Task.isCancelled {
            if isTerminal { try await writer.write("\(robotName)> ") }
            guard let line = try await reader.next() else { break }
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first else { continue }
            if isTerminal, words.count == 1, first.lowercased() == "exit" { return false }
            number += 1
            await inbox.handle(message(line, number))
            try writer.check()
        }
        return true
    }

    public func deliver(_ utterance: Utterance, to envelope: Envelope) async throws {
        let line =
            switch utterance {
            case .text(let text): text
            case .reply(let text): envelope.plainReply(text)
            case .emote(let text): "* \(text)"
            case .topic(let text): "* the topic is now: \(text)"
            }
        try await writer.write(line + "\n")
    }

    private func message(_ text: String, _ number: Int) -> Message {
        Message(
            id: Message.ID(adapter: name, value: "\(number)"), user: user,
            room: Room(id: Room.ID(adapter: name, value: "Shell"), isPrivate: true), content: .text(text))
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
