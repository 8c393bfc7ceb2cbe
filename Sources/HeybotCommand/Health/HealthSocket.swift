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

/// The socket in a robot's data folder by which `heybot health` asks how it is: whoever connects is told, as JSON.
///
/// Its name is of its own, since robots that share a folder may be in containers, each of them process 1.
struct HealthSocket: Sendable {
    /// What came of asking a robot.
    enum Answer: Sendable {
        case robot(LiveRobot)
        /// It is there, but doesn't tell.
        case trouble(String)

        /// Nil if it doesn't tell.
        var robot: LiveRobot? { if case .robot(let robot) = self { robot } else { nil } }
    }

    private let path: String
    private let descriptor: Int32

    /// Listens in that folder, until the process ends or ``close()`` is called.
    ///
    /// - Parameter port: Where the robot's web server listens.
    init(in data: DataFolder, robot: Robot, port: WebPort) throws(HealthSocketError) {
        for path in Self.paths(in: data) {
            if let other = UnixSocket.connect(to: path) {
                systemClose(other)
            } else if errno == ECONNREFUSED {
                // Left by one that was killed: nobody listens there any more, nor will.
                unlink(path)
            }
        }
        let name = String(UInt32.random(in: .min ... .max), radix: 16)
        path = "\(data.path)/\(Self.prefix)\(name)\(Self.suffix)"
        // Under another name until it listens, so that nobody takes it for one that was left.
        let new = "\(data.path)/.\(name)\(Self.suffix)"
        guard let descriptor = UnixSocket.listen(at: new), rename(new, path) == 0 else {
            throw HealthSocketError(path: path, reason: String(cString: strerror(errno)))
        }
        self.descriptor = descriptor
        let tell = { @Sendable [weak robot] in
            guard let health = await robot?.health() else { return LiveRobot?.none }
            return LiveRobot(health: health, webPort: port.number)
        }
        let isStarted = OSThread.start { Self.answer(at: descriptor, tell: tell) }
        if !isStarted {
            close()
            throw HealthSocketError(path: path, reason: "the system has no thread to give")
        }
    }

    /// Tells whoever connects, until it is closed.
    private static func answer(at descriptor: Int32, tell: @escaping @Sendable () async -> LiveRobot?) {
        defer { systemClose(descriptor) }
        while true {
            let client = accept(descriptor, nil, nil)
            if client >= 0 {
                Task {
                    if let bytes = try? JSONEncoder().encode(await tell()) {
                        UnixSocket.write(Array(bytes), to: client)
                    }
                    systemClose(client)
                }
            } else if errno == EINVAL || errno == EBADF {
                return
            } else if errno != EINTR, errno != ECONNABORTED {
                // The system is short of something, which may pass.
                usleep(100_000)
            }
        }
    }

    func close() {
        unlink(path)
        // Its thread wakes up, and closes it.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// How every robot is that runs with that folder.
    static func ask(in data: DataFolder) -> [Answer] {
        paths(in: data).compactMap { path in
            guard let server = UnixSocket.connect(to: path) else {
                let reason = errno
                if reason == ECONNREFUSED || reason == ENOENT { return nil }
                return .trouble("a robot can't be asked at \(path): \(String(cString: strerror(reason)))")
            }
            defer { systemClose(server) }
            let bytes = UnixSocket.read(from: server)
            guard let robot = try? JSONDecoder().decode(LiveRobot.self, from: Data(bytes)) else {
                return .trouble(
                    bytes.isEmpty
                        ? "a robot doesn't answer at \(path): it may be stuck"
                        : "a robot answers at \(path) what this version doesn't understand")
            }
            return .robot(robot)
        }
    }

    private static let prefix = "health-"
    private static let suffix = ".sock"

    private static func paths(in data: DataFolder) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted()
            .map { "\(data.path)/\($0)" }.filter(isSocket)
    }

    private static func isSocket(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFSOCK
    }
}

// Under this name the methods above can call it.
private let systemClose: @Sendable (Int32) -> Void = { _ = close($0) }

/// Why a robot can't be asked how it is.
struct HealthSocketError: Error, CustomStringConvertible {
    let path: String
    let reason: String

    var description: String {
        "heybot health can't ask this robot, since \(path) can't be made: \(reason)"
    }
}
