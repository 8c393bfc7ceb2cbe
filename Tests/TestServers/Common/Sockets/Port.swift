import Foundation
import Synchronization

/// Ports on the loopback interface.
public enum Port {
    private static let given = Mutex<Set<Int>>([])

    /// Returns a port that is free now.
    ///
    /// It is outside the range for clients: a client that retries a port until a server listens could otherwise connect to
    /// itself.
    public static func free() throws -> Int {
        for _ in 0..<200 {
            let port = Int.random(in: 20_000..<32_000)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            // Bound but not listening: a process that is being started inherits it until it runs, and would block the server.
            if let socket = try? bind(to: port) {
                close(socket)
                return port
            }
        }
        throw TestServerError.failed("there is no free port")
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
