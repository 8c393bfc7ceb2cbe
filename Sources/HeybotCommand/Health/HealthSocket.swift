import FoundationEssentials
import Heybot
import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The Unix socket in the data directory at which a robot reports its health, as JSON, to `heybot health`.
///
/// Its name is random, not the process id: robots that share a directory may be in containers, each of them process 1.
struct HealthSocket: Sendable {
    /// What a query of a running robot yielded.
    enum QueryResult: Sendable {
        case report(HealthSocketReply)
        /// The reason why a robot that exists didn't report.
        case problem(String)

        /// Nil if the robot didn't report.
        var report: HealthSocketReply? { if case .report(let report) = self { report } else { nil } }
    }

    private let path: String
    private let descriptor: Int32

    /// Listens in the directory, until the process ends or ``close()`` is called.
    ///
    /// - Parameter report: Returns the report for a client; nil if the robot has ended.
    init(
        in data: DataFolder, report: @escaping @Sendable () async -> HealthSocketReply?
    ) throws(HealthSocketError) {
        for path in Self.paths(in: data) {
            if let other = UnixSocket.connect(to: path) {
                systemClose(other)
            } else if errno == ECONNREFUSED {
                // A robot that was killed left it.
                unlink(path)
            }
        }
        let name = String(UInt32.random(in: .min ... .max), radix: 16)
        path = "\(data.path)/\(Self.prefix)\(name)\(Self.suffix)"
        // It has another name until it listens, so that no other robot removes it as a leftover.
        let new = "\(data.path)/.\(name)\(Self.suffix)"
        guard let descriptor = UnixSocket.listen(at: new), rename(new, path) == 0 else {
            throw HealthSocketError(path: path, reason: String(cString: strerror(errno)))
        }
        self.descriptor = descriptor
        let isStarted = OSThread.start { Self.answer(at: descriptor, report: report) }
        if !isStarted {
            close()
            throw HealthSocketError(path: path, reason: "the system can't create a thread")
        }
    }

    /// Writes a report to each client, until the socket is closed.
    private static func answer(at descriptor: Int32, report: @escaping @Sendable () async -> HealthSocketReply?) {
        defer { systemClose(descriptor) }
        while true {
            let client = accept(descriptor, nil, nil)
            if client >= 0 {
                Task {
                    if let bytes = try? JSONEncoder().encode(await report()) {
                        UnixSocket.write(Array(bytes), to: client)
                    }
                    systemClose(client)
                }
            } else if errno == EINVAL || errno == EBADF {
                return
            } else if errno != EINTR, errno != ECONNABORTED {
                // The system lacks a resource, perhaps only for a moment.
                usleep(100_000)
            }
        }
    }

    func close() {
        unlink(path)
        // This wakes the thread, which closes the descriptor.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Returns the results for all robots that run with the directory.
    static func query(in data: DataFolder) -> [QueryResult] {
        paths(in: data).compactMap { path in
            guard let server = UnixSocket.connect(to: path) else {
                let reason = errno
                if reason == ECONNREFUSED || reason == ENOENT { return nil }
                return .problem("can't connect to the robot at \(path): \(String(cString: strerror(reason)))")
            }
            defer { systemClose(server) }
            let bytes = UnixSocket.read(from: server)
            guard let report = try? JSONDecoder().decode(HealthSocketReply.self, from: Data(bytes)) else {
                return .problem(
                    bytes.isEmpty
                        ? "the robot at \(path) doesn't answer; it may be stuck"
                        : "the robot at \(path) answered in a format that this version can't read")
            }
            return .report(report)
        }
    }

    private static let prefix = "health-"
    private static let suffix = ".sock"

    private static func paths(in data: DataFolder) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted()
            .map { "\(data.path)/\($0)" }
            .filter { FileStatus($0, followsLinks: false)?.isSocket == true }
    }
}

// The method above hides the function's own name.
private let systemClose: @Sendable (Int32) -> Void = { _ = close($0) }

/// The reason why a robot can't listen at a health socket.
struct HealthSocketError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "heybot health won't work for this robot: can't create \(path): \(reason)"
    }
}
