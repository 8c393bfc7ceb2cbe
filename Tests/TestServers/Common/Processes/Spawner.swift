import Foundation
import Synchronization

/// Starts processes, all from one thread that never ends.
///
/// The system kills those processes when the *thread* that started them ends (prctl(2), PR_SET_PDEATHSIG), and the tests' threads
/// come and go.
enum Spawner {
    /// The waiting thread and the working one never access it at the same time.
    private final class Order: @unchecked Sendable {
        let words: [String]
        let files: (input: Int32, output: Int32)
        let isDone = DispatchSemaphore(value: 0)
        var result = Result<pid_t, TestServerError>.failure(.failed("nothing was started"))

        init(_ words: [String], _ files: (input: Int32, output: Int32)) {
            (self.words, self.files) = (words, files)
        }
    }

    private static let orders = Mutex<[Order]>([])
    private static let wake = DispatchSemaphore(value: 0)
    private static let thread: Void = Thread.detachNewThread {
        while true {
            wake.wait()
            guard let order = orders.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            order.result = Result { () throws(TestServerError) in try spawn(order) }
            order.isDone.signal()
        }
    }

    /// Starts a program with only these files open, and with no signals blocked or ignored.
    static func spawn(_ words: [String], input: Int32, output: Int32) throws -> pid_t {
        _ = thread
        let order = Order(words, (input, output))
        orders.withLock { $0.append(order) }
        wake.signal()
        order.isDone.wait()
        return try order.result.get()
    }

    private static func spawn(_ order: Order) throws(TestServerError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, order.files.input, 0)
        posix_spawn_file_actions_adddup2(&actions, order.files.output, 1)
        posix_spawn_file_actions_adddup2(&actions, order.files.output, 2)
        // Closes the files of other tests; closing an unused number has no effect.
        for file in 3..<Int32(1_024) { posix_spawn_file_actions_addclose(&actions, file) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, usual) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var pid: pid_t = 0
        var arguments = order.words.map { strdup($0) } + [nil]
        var environment = [strdup("PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LANG=C.UTF-8"), nil]
        defer { for text in arguments + environment { free(text) } }
        let status = posix_spawnp(&pid, order.words[0], &actions, &attributes, &arguments, &environment)
        guard status == 0 else {
            throw .failed("\(order.words[0]) can't be started: \(String(cString: strerror(status)))")
        }
        return pid
    }
}
