import Foundation
import Synchronization

/// An IRC server as it's used out there, with ports and a folder of its own, for as long as a test needs it.
///
/// It's a child of the tests: it ends when it's stopped or nobody holds it, and with the tests even where they crash.
/// Where the tests run as root it runs as nobody.
public final class RealServer: Sendable {
    /// What an operator logs in with: `OPER oper oper`.
    public static let oper = (name: "oper", password: "oper")

    /// Where it listens.
    public let host = "127.0.0.1"
    /// What it's called.
    public let name = "irc.test"
    /// The port without TLS.
    public let port: Int
    /// The port with TLS; nil where it was started without.
    public let tlsPort: Int?
    /// What signed the server's certificate, and can sign others; nil where it was started without TLS.
    public let authority: CertificateAuthority?

    /// The path of the certificate to trust, in PEM; nil where it was started without TLS.
    public var caFile: String? { authority?.file }

    /// A program that makes up the server, in the order they're started in.
    struct Program: Sendable {
        let words: [String]
        /// The port it listens on when it's ready.
        let port: Int?
    }

    private let folder: ScratchFolder
    private let programs: [Program]
    private let isReady: @Sendable (RealServer) async throws -> Void
    private let children = Mutex<[Child]>([])

    init(
        _ folder: ScratchFolder, _ programs: [Program], port: Int, tlsPort: Int?, authority: CertificateAuthority?,
        isReady: @escaping @Sendable (RealServer) async throws -> Void = { _ in }
    ) async throws {
        self.folder = folder
        self.programs = programs
        self.port = port
        self.tlsPort = tlsPort
        self.authority = authority
        self.isReady = isReady
        try await start()
    }

    /// The processes it's made of, as long as it runs.
    public var processes: [Int32] { children.withLock { $0.filter(\.isRunning).map(\.id) } }

    /// What its programs wrote, for a test that fails.
    public var log: String { folder.read("server.log") + folder.read("ircd.log") }

    /// Starts it once more after ``stop(politely:)``, with the ports and accounts it had.
    public func start() async throws {
        guard processes.isEmpty else { return }
        let output = open(folder.path("server.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        defer { close(output) }
        do {
            for program in programs {
                let child = try Child(program.words, output: output)
                children.withLock { $0.append(child) }
                if let port = program.port { try await Port.wait(for: port, while: { child.isRunning }) }
            }
            try await isReady(self)
        } catch {
            await stop()
            throw ServersError.failed("\(programs[0].words[0]) didn't start (\(error)); it said:\n\(log)")
        }
    }

    /// Ends it, and waits until it's gone.
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

    /// Tries another port where somebody else took it in between.
    static func attempt(_ make: () async throws -> RealServer) async throws -> RealServer {
        do { return try await make() } catch ServersError.failed {}
        return try await make()
    }
}
