import Foundation
import Synchronization

/// A real server with its own ports and folder, for as long as a test needs it.
///
/// It is stopped when it is deallocated, and killed with the tests even if they crash. If the tests run as root, it runs as
/// nobody.
///
/// It can be shared: mutable state is protected by a lock, in this class and its subclasses.
open class RunningServer: @unchecked Sendable {
    /// A program of the server; programs are started in order.
    public struct Program: Sendable {
        let words: [String]
        let ports: [Int]

        /// Creates a program with the ports that it listens on when it is ready.
        public init(words: [String], ports: [Int]) {
            self.words = words
            self.ports = ports
        }
    }

    /// The host that it listens on.
    public let host = "127.0.0.1"
    /// The port without TLS, or with STARTTLS.
    public let port: Int
    /// The TLS port; nil if it was started without TLS.
    public let tlsPort: Int?
    /// The authority that issued the server's certificate; nil if it was started without TLS.
    public let authority: CertificateAuthority?
    /// The folder with all its files, deleted when it is deallocated.
    public let folder: ScratchFolder

    private let programs: [Program]
    private let logs: [String]
    private let isReady: @Sendable () async throws -> Void
    private let children = Mutex<[ChildProcess]>([])

    /// Creates a server without starting it.
    ///
    /// - Parameters:
    ///   - logs: Its log files in the folder, beside its output.
    ///   - isReady: Returns when it is ready, after its programs listen.
    public init(
        _ folder: ScratchFolder, _ programs: [Program], port: Int, tlsPort: Int?, authority: CertificateAuthority?,
        logs: [String] = [], isReady: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.folder = folder
        self.programs = programs
        self.port = port
        self.tlsPort = tlsPort
        self.authority = authority
        self.logs = logs
        self.isReady = isReady
    }

    // Before the folder is deleted, because they would write into it.
    deinit { children.withLock { $0 = [] } }

    /// The path of the certificate to trust, a PEM file; nil if it was started without TLS.
    public var caFile: String? { authority?.file }

    /// The ids of its processes while it runs.
    public var processes: [Int32] { children.withLock { $0.filter(\.isRunning).map(\.id) } }

    /// The ids of its processes' descendants.
    public var descendants: [Int32] { children.withLock { $0.filter(\.isRunning).flatMap(\.descendants) } }

    /// Its logs, for the message of a failing test.
    public var log: String { (["server.log"] + logs).map { folder.read($0) }.joined() }

    /// Starts it again after ``stop(gracefully:)``, with the same ports and accounts.
    open func start() async throws {
        guard processes.isEmpty else { return }
        let output = open(folder.path("server.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        defer { close(output) }
        do {
            for program in programs {
                let child = try ChildProcess(program.words, output: output)
                children.withLock { $0.append(child) }
                for port in program.ports { try await Port.wait(for: port, while: { child.isRunning }) }
            }
            try await isReady()
        } catch {
            await stop()
            throw TestServerError.failed("\(programs[0].words[0]) didn't start (\(error)); it said:\n\(log)")
        }
    }

    /// Stops it, and waits until all its processes have ended.
    ///
    /// - Parameter gracefully: Whether it may close its connections first; false to kill it.
    public func stop(gracefully: Bool = true) async {
        let ending = children.withLock { children in
            defer { children = [] }
            return children
        }
        for child in ending.reversed() { await child.stop(gracefully: gracefully) }
    }

    /// Suspends it, while its connections stay open.
    public func pause() { children.withLock { for child in $0 { child.send(SIGSTOP) } } }

    /// Resumes it after ``pause()``.
    public func resume() { children.withLock { for child in $0 { child.send(SIGCONT) } } }
}

extension RunningServer {
    /// Creates and starts a server, on other ports if some were taken meanwhile.
    public static func started<Server: RunningServer>(_ make: () async throws -> Server) async throws -> Server {
        func once() async throws -> Server {
            let server = try await make()
            try await server.start()
            return server
        }
        do { return try await once() } catch TestServerError.failed {}
        return try await once()
    }
}
