import Foundation
import Synchronization
import Testing

@testable import HeybotCommand

/// What a supervisor such as systemd is told.
@Suite(.timeLimit(.minutes(15))) struct SupervisorTests {
    let folder: Folder
    let ear: DatagramSocket

    init() throws {
        folder = try Folder()
        ear = try DatagramSocket(at: folder.url.appending(path: "notify").path)
    }

    @Test func `it is told when the robot is ready, that it lives, and when it stops`() throws {
        let robot = try Run.start(
            in: folder.url, environment: ["NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "200000"])
        #expect(ear.hear("STATUS=shell is up since ").hasPrefix("STATUS="))
        _ = ear.hear("READY=1")
        for _ in 0..<3 { _ = ear.hear("WATCHDOG=1") }
        robot.kill(SIGTERM)
        #expect(ear.hear("STOPPING=1") == "STOPPING=1")
        #expect(robot.end().status == 0)
    }

    @Test func `a network that is away is no reason not to be ready, and is told`() throws {
        // Nobody listens there.
        let environment = [
            "NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "2000000", "HEYBOT_IRC_SERVER": "127.0.0.1",
            "HEYBOT_IRC_PORT": "1", "HEYBOT_IRC_USESSL": "false"
        ]
        let robot = try Run.start(["-a", "irc"], in: folder.url, environment: environment)
        #expect(ear.hear("STATUS=irc is down").contains("127.0.0.1:1"))
        // At once, and not when its patience is over: by then it would have said often that it is alive.
        #expect(ear.hear("=1") == "READY=1")
        robot.kill(SIGTERM)
        let run = robot.end()
        #expect(run.errors.contains("stopping, as SIGTERM says"))
        #expect(run.status == 0)
    }

    @Test func `nobody is told where nobody asks, and who has gone doesn't matter`() throws {
        #expect(Supervisor(environment: [:]) == nil)
        #expect(Supervisor(environment: ["NOTIFY_SOCKET": "vsock:2:1234"]) == nil)
        let gone = try #require(Supervisor(environment: ["NOTIFY_SOCKET": folder.url.path + "/gone"]))
        gone.tell("READY=1")
    }

    @Test func `a watchdog is for the process it names`() {
        func watchdog(_ usec: String, _ process: String?) -> Duration? {
            var environment = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": usec]
            environment["WATCHDOG_PID"] = process
            return Supervisor(environment: environment, process: 7)?.watchdog
        }
        #expect(Supervisor(environment: ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "90000000"])?.pulse == .seconds(45))
        #expect(watchdog("2000000", "7") == .seconds(2))
        #expect(watchdog("2000000", nil) == .seconds(2))
        #expect(watchdog("2000000", "8") == nil)
        #expect(watchdog("0", nil) == nil)
        #expect(watchdog("soon", nil) == nil)
    }

    #if os(Linux)
        @Test func `an abstract socket is told too`() throws {
            let ear = try DatagramSocket(at: "@heybot-\(UUID().uuidString)")
            try #require(Supervisor(environment: ["NOTIFY_SOCKET": ear.path])).tell("STATUS=well", "READY=1")
            #expect(ear.hear("READY=1") == "STATUS=well\nREADY=1")
        }
    #endif
}

/// A Unix socket that takes datagrams, as systemd's does.
final class DatagramSocket: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Parameter path: Where it is; with `@` in front it is abstract.
    init(at path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        if path.hasPrefix("@") { address.sun_path.0 = 0 }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        try #require(isBound)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// The next datagram that has the text, those before it thrown away; empty if none comes.
    func hear(_ text: String) -> String {
        while true {
            var buffer = [UInt8](repeating: 0, count: 8_192)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return "" }
            let said = String(decoding: buffer.prefix(count), as: UTF8.self)
            if said.contains(text) { return said }
        }
    }
}
