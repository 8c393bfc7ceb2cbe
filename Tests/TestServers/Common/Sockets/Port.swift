import Foundation
import Synchronization

/// Ports on the loopback interface.
public enum Port {
    /// The ports of a range that this process hasn't given yet.
    private static let rest = Mutex<[Int]>([])

    /// Returns a port that is free now, and that no other test gets, also in other processes.
    ///
    /// It is outside the range for clients: a client that retries a port until a server listens could otherwise connect to
    /// itself.
    public static func free() throws -> Int {
        for _ in 0..<2_000 {
            let port = try rest.withLock { rest in
                if rest.isEmpty { rest = try reserve() }
                return rest.removeLast()
            }
            // Bound but not listening: a process that is being started inherits it until it runs, and would block the server.
            if let socket = try? bind(to: port) {
                close(socket)
                return port
            }
        }
        throw TestServerError.failed("there is no free port")
    }

    /// Reserves a range of ports for this process until it ends, and returns them in a random order.
    ///
    /// Otherwise, another process's test may get a port between a test's `free()` and its server's start, or while its
    /// server is stopped. The reservation is a socket with an abstract name (unix(7)).
    private static func reserve() throws -> [Int] {
        let (first, size) = (20_000, 200)
        for range in (0..<60).shuffled() {
            let holder = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array("\0heybot-tests-ports-\(range)".utf8)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let length = MemoryLayout<sa_family_t>.size + name.count
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.bind(holder, $0, socklen_t(length))
                }
            }
            if status == 0 { return (0..<size).map { first + range * size + $0 }.shuffled() }
            close(holder)
        }
        throw TestServerError.failed("all ranges of ports are taken by other tests")
    }

    /// Returns a listening socket.
    public static func listen(on port: Int) throws -> Int32 {
        let listener = try bind(to: port)
        guard Foundation.listen(listener, 128) == 0 else { throw failure(port, closing: listener) }
        return listener
    }

    /// Returns a bound socket.
    private static func bind(to port: Int) throws -> Int32 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard withAddress(port, { Foundation.bind(listener, $0, $1) }) == 0 else {
            throw failure(port, closing: listener)
        }
        return listener
    }

    private static func failure(_ port: Int, closing socket: Int32) -> TestServerError {
        let reason = String(cString: strerror(errno))
        close(socket)
        return TestServerError.failed("port \(port) can't be listened on: \(reason)")
    }

    /// Returns a connected socket.
    public static func connect(to port: Int) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard withAddress(port, { Foundation.connect(client, $0, $1) }) == 0 else {
            let reason = String(cString: strerror(errno))
            close(client)
            throw TestServerError.failed("nothing can be reached on port \(port): \(reason)")
        }
        return client
    }

    /// Waits until a server listens, up to the usual limit.
    public static func wait(for port: Int, while isAlive: () -> Bool) async throws {
        let end = ContinuousClock.now + .testLimit
        while true {
            if let socket = try? connect(to: port) {
                close(socket)
                return
            }
            guard isAlive(), ContinuousClock.now < end else {
                throw TestServerError.failed("nobody listens on port \(port)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func withAddress(_ port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
