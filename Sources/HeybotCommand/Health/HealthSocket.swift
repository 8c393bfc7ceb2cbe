import FoundationEssentials
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The socket in a robot's data folder by which `heybot health` asks how it is: whoever connects is told, as JSON.
struct HealthSocket: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Listens in that folder, until the process ends or ``close()`` is called.
    init(in data: DataFolder, robot: Robot) throws(HealthSocketError) {
        for path in Self.paths(in: data) {
            if let other = UnixSocket.connect(to: path) {
                systemClose(other)
            } else if errno == ECONNREFUSED {
                // Left by one that was killed.
                unlink(path)
            }
        }
        path = "\(data.path)/\(Self.prefix)\(getpid())\(Self.suffix)"
        guard let descriptor = UnixSocket.listen(at: path) else {
            throw HealthSocketError(path: path, reason: String(cString: strerror(errno)))
        }
        self.descriptor = descriptor
        let health = { @Sendable [weak robot] in await robot?.health() }
        let isStarted = OSThread.start { Self.answer(at: descriptor, health: health) }
        if !isStarted {
            close()
            throw HealthSocketError(path: path, reason: "the system has no thread to give")
        }
    }

    /// Tells whoever connects, until it is closed.
    private static func answer(at descriptor: Int32, health: @escaping @Sendable () async -> Health?) {
        defer { systemClose(descriptor) }
        while true {
            let client = accept(descriptor, nil, nil)
            if client >= 0 {
                Task {
                    if let bytes = try? JSONEncoder().encode(await health()) {
                        UnixSocket.write(Array(bytes), to: client)
                    }
                    systemClose(client)
                }
            } else if errno != EINTR, errno != ECONNABORTED {
                return
            }
        }
    }

    func close() {
        unlink(path)
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// How every robot is that runs with that folder.
    static func ask(in data: DataFolder) -> [Health] {
        paths(in: data).compactMap { path in
            guard let server = UnixSocket.connect(to: path) else { return nil }
            defer { systemClose(server) }
            return try? JSONDecoder().decode(Health.self, from: Data(UnixSocket.read(from: server)))
        }
    }

    private static let prefix = "health-"
    private static let suffix = ".sock"

    private static func paths(in data: DataFolder) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.sorted().map { "\(data.path)/\($0)" }
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
