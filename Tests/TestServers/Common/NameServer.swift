import Foundation
import Synchronization

/// A small DNS server on the loopback interface, by UDP and TCP on one port.
///
/// It ends with `stop()` or when it is deallocated.
public final class NameServer: Sendable {
    /// The answer to queries for a name.
    public enum Answer: Sendable {
        /// These SRV records.
        case services([Service])
        /// These addresses, IPv4 or IPv6, according to the query's type.
        case addresses([String])
        /// An alias, followed by the other name's records.
        case alias(String)
        /// The name doesn't exist (NXDOMAIN); the default for names that aren't in the table.
        case noName
        /// The name exists, but has no such records.
        case noData
        /// The server failed (SERVFAIL).
        case failure
        /// The server refuses (REFUSED).
        case refusal
        /// The server doesn't understand the query (FORMERR).
        case misunderstanding
        /// No response.
        case silence
        /// A truncated response by UDP, and none by TCP.
        case silenceByTCP
        /// A response with garbage in place of the records.
        case garbage
        /// An SRV record, and half of another.
        case cutOff
        /// An SRV record whose target is a pointer to itself.
        case loop
    }

    /// An SRV record.
    public struct Service: Sendable {
        let priority, weight, port: UInt16
        let target: String

        /// Creates a record; the target may be ".".
        public init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: String) {
            (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
        }
    }

    /// A query.
    public struct Question: Hashable, Sendable {
        /// In lower case, without a trailing dot.
        public let name: String
        /// The record type, such as 33 for SRV.
        public let type: UInt16
        /// Whether it came by TCP.
        public let isByTCP: Bool
    }

    /// The state shared by the thread and the test.
    final class Book: Sendable {
        let answers: Mutex<[String: Answer]>
        let questions = Mutex<[Question]>([])

        init(_ answers: [String: Answer]) {
            self.answers = Mutex(answers)
        }
    }

    /// The address that it listens on.
    public let address = "127.0.0.1"
    /// The port it listens on.
    public let port: Int

    private let book: Book
    /// Closing it ends the thread.
    private let wake: Mutex<Int32?>
    private let isOver = DispatchSemaphore(value: 0)

    /// Starts a server; the table's names are in lower case and ASCII, without a trailing dot.
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

    /// Changes the answer for a name.
    public func set(_ answer: Answer, for name: String) {
        book.answers.withLock { $0[name] = answer }
    }

    /// The queries so far.
    public var questions: [Question] { book.questions.withLock { $0 } }

    /// Stops the server and closes its sockets.
    public func stop() {
        guard let end = wake.withLock({ $0.take() }) else { return }
        close(end)
        isOver.wait()
    }
}

/// Why the server can't be started.
public struct NameServerError: Error, CustomStringConvertible {
    let problem: String

    /// One line.
    public var description: String { problem }
}
