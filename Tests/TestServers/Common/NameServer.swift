import Foundation
import Synchronization

/// A small DNS server on the loopback interface, by UDP and TCP on one port; it ends with `stop()` or when nobody holds it.
public final class NameServer: Sendable {
    /// What is answered to questions for a name.
    public enum Answer: Sendable {
        /// These service records, to whoever asks for them.
        case services([Service])
        /// These addresses, IPv4 or IPv6, to whoever asks for their kind.
        case addresses([String])
        /// The name is another one for that, whose records follow.
        case alias(String)
        /// The name doesn't exist (NXDOMAIN); so it is with names that aren't in the table.
        case noName
        /// It exists, without such records.
        case noData
        /// The server can't find out (SERVFAIL).
        case failure
        /// The server doesn't want to tell (REFUSED).
        case refusal
        /// The server doesn't understand (FORMERR).
        case misunderstanding
        /// Nothing at all.
        case silence
        /// By UDP that the answer is too long, by TCP nothing at all.
        case silenceByTCP
        /// An answer to the question, with nonsense where the records should be.
        case garbage
        /// A service record, and half of another.
        case cutOff
        /// A service record whose target is a pointer to itself.
        case loop
    }

    /// A service record.
    public struct Service: Sendable {
        let priority, weight, port: UInt16
        let target: String

        /// One of these; the target may be ".".
        public init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: String) {
            (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
        }
    }

    /// What somebody asked.
    public struct Question: Hashable, Sendable {
        /// In lower case, without a dot at the end.
        public let name: String
        /// Such as 33 for SRV.
        public let type: UInt16
        /// Whether it came by TCP.
        public let isByTCP: Bool
    }

    /// What the thread and the test share.
    final class Book: Sendable {
        let answers: Mutex<[String: Answer]>
        let questions = Mutex<[Question]>([])

        init(_ answers: [String: Answer]) {
            self.answers = Mutex(answers)
        }
    }

    /// Where it listens.
    public let address = "127.0.0.1"
    /// The port it listens on.
    public let port: Int

    private let book: Book
    /// Closing it ends the thread.
    private let wake: Mutex<Int32?>
    private let isOver = DispatchSemaphore(value: 0)

    /// A server that listens; the names of the table are in lower case and ASCII, without a dot at the end.
    public init(_ answers: [String: Answer] = [:]) throws {
        let sockets = try LoopbackSockets()
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw NameServerError(problem: "no pipe can be had") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        book = Book(answers)
        port = sockets.port
        wake = Mutex(ends[1])
        Thread.detachNewThread { [book, isOver, end = ends[0]] in
            sockets.serve(book, until: end)
            close(end)
            isOver.signal()
        }
    }

    deinit { stop() }

    /// Answers otherwise from now on.
    public func set(_ answer: Answer, for name: String) {
        book.answers.withLock { $0[name] = answer }
    }

    /// What was asked up to now.
    public var questions: [Question] { book.questions.withLock { $0 } }

    /// Closes everything; afterwards nobody listens at the port.
    public func stop() {
        guard let end = wake.withLock({ $0.take() }) else { return }
        close(end)
        isOver.wait()
    }
}

/// Why there is no server.
public struct NameServerError: Error, CustomStringConvertible {
    let problem: String

    /// In plain words.
    public var description: String { problem }
}
