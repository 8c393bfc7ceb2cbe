import Foundation
import Synchronization

/// A server as it's used out there, with ports and a folder of its own, for as long as a test needs it.
///
/// It's a child of the tests: it ends when it's stopped or nobody holds it, and with the tests even if they crash.
/// If the tests run as root it runs as nobody.
///
/// It may be shared: what changes of it has a lock, in this class and in those below it.
open class RunningServer: @unchecked Sendable {
    /// A program that makes up the server, in the order they're started in.
    public struct Program: Sendable {
        let words: [String]
        let ports: [Int]

        /// A program, and the ports it listens on when it's ready.
        public init(words: [String], ports: [Int]) {
            self.words = words
            self.ports = ports
        }
    }

    /// Where it listens.
    public let host = "127.0.0.1"
    /// The port where a conversation begins without TLS.
    public let port: Int
    /// The port with TLS from the first byte; nil if it was started without.
    public let tlsPort: Int?
    /// What signed the server's certificate, and can sign others; nil if it was started without TLS.
    public let authority: CertificateAuthority?
    /// Where all its files are, until nobody holds it.
    public let folder: ScratchFolder

    private let programs: [Program]
    private let logs: [String]
    private let isReady: @Sendable () async throws -> Void
    private let children = Mutex<[Child]>([])

    /// A server that isn't started yet.
    ///
    /// - Parameters:
    ///   - logs: the files in its folder that it writes about itself, beside what it says.
    ///   - isReady: returns when it is, after its programs listen.
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

    // Before the folder goes: they would write in it.
    deinit { children.withLock { $0 = [] } }

    /// The path of the certificate to trust, in PEM; nil if it was started without TLS.
    public var caFile: String? { authority?.file }

    /// The processes it's made of, as long as it runs.
    public var processes: [Int32] { children.withLock { $0.filter(\.isRunning).map(\.id) } }

    /// The processes that those started.
    public var descendants: [Int32] { children.withLock { $0.filter(\.isRunning).flatMap(\.descendants) } }

    /// What its programs wrote, for a test that fails.
    public var log: String { (["server.log"] + logs).map { folder.read($0) }.joined() }

    /// Starts it once more after ``stop(politely:)``, with the ports and accounts it had.
    open func start() async throws {
        guard processes.isEmpty else { return }
        let output = open(folder.path("server.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        defer { close(output) }
        do {
            for program in programs {
                let child = try Child(program.words, output: output)
                children.withLock { $0.append(child) }
                for port in program.ports { try await Port.wait(for: port, while: { child.isRunning }) }
            }
            try await isReady()
        } catch {
            await stop()
            throw ServersError.failed("\(programs[0].words[0]) didn't start (\(error)); it said:\n\(log)")
        }
    }

    /// Ends it, and waits until it's gone, with all that it started.
    ///
    /// - Parameter politely: whether it may say goodbye to its clients; else it's killed at once.
    public func stop(politely: Bool = true) async {
        let ending = children.withLock { children in
            defer { children = [] }
            return children
        }
        for child in ending.reversed() { await child.stop(politely: politely) }
    }

    /// Has it do nothing at all, while its connections stay.
    public func pause() { children.withLock { for child in $0 { child.send(SIGSTOP) } } }

    /// Has it go on after ``pause()``.
    public func goOn() { children.withLock { for child in $0 { child.send(SIGCONT) } } }
}

extension RunningServer {
    /// Makes a server and starts it, on other ports if somebody else took them in between.
    public static func started<Server: RunningServer>(_ make: () async throws -> Server) async throws -> Server {
        func once() async throws -> Server {
            let server = try await make()
            try await server.start()
            return server
        }
        do { return try await once() } catch ServersError.failed {}
        return try await once()
    }
}
