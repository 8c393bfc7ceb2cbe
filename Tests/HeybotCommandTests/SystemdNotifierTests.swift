import Foundation
import Synchronization
import Testing

@testable import HeybotCommand

/// Tests of notifications to a supervisor such as systemd.
@Suite(.blocking, .timeLimit(.minutes(15))) struct SystemdNotifierTests {
    let folder: TemporaryFolder
    let ear: DatagramSocket

    init() throws {
        folder = try TemporaryFolder()
        ear = try DatagramSocket(at: folder.url.appending(path: "notify").path)
    }

    @Test func `systemd is notified of readiness, watchdog and stopping`() throws {
        let robot = try CommandRun.start(
            in: folder.url, environment: ["NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "200000"])
        #expect(ear.hear("STATUS=shell is up since ").hasPrefix("STATUS="))
        _ = ear.hear("READY=1")
        for _ in 0..<3 { _ = ear.hear("WATCHDOG=1") }
        robot.kill(SIGTERM)
        #expect(ear.hear("STOPPING=1") == "STOPPING=1")
        #expect(robot.end().status == 0)
    }

    @Test func `an unreachable network doesn't delay readiness, and is in the status`() throws {
        // The socket doesn't exist.
        let environment = [
            "NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "20000000", "HEYBOT_IRC_SERVER": "127.0.0.1",
            "HEYBOT_IRC_PORT": "1", "HEYBOT_IRC_USESSL": "false"
        ]
        let robot = try CommandRun.start(["-a", "irc"], in: folder.url, environment: environment)
        #expect(ear.hear("STATUS=irc is down").contains("127.0.0.1:1"))
        // At once, and not at the timeout: by then it would have sent a watchdog notification.
        #expect(ear.hear("=1") == "READY=1")
        robot.kill(SIGTERM)
        let run = robot.end()
        #expect(run.errors.contains("received SIGTERM, shutting down"))
        #expect(run.status == 0)
    }

    @Test func `a gateway that waits is ready and alive, and ends on SIGTERM`() throws {
        let environment = [
            "NOTIFY_SOCKET": ear.path, "WATCHDOG_USEC": "200000", "HEYBOT_IRC_SERVER": "127.0.0.1",
            "HEYBOT_REDIS_URL": "redis://127.0.0.1:1"
        ]
        let robot = try CommandRun.start(["gateway", "-a", "irc"], in: folder.url, environment: environment)
        #expect(ear.hear("READY=1").contains("STATUS=waiting"))
        for _ in 0..<2 { _ = ear.hear("WATCHDOG=1") }
        // There is nothing to reload.
        robot.kill(SIGHUP)
        for _ in 0..<2 { _ = ear.hear("WATCHDOG=1") }
        robot.kill(SIGTERM)
        #expect(robot.end().status == 0)
    }

    @Test func `nothing is sent without NOTIFY_SOCKET, and a missing socket is ignored`() throws {
        #expect(SystemdNotifier(environment: [:]) == nil)
        #expect(SystemdNotifier(environment: ["NOTIFY_SOCKET": "vsock:2:1234"]) == nil)
        let gone = try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": folder.url.path + "/gone"]))
        gone.notify("READY=1")
    }

    @Test func `the watchdog applies only to its process`() {
        func watchdog(_ usec: String, _ process: String?) -> Duration? {
            var environment = ["NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": usec]
            environment["WATCHDOG_PID"] = process
            return SystemdNotifier(environment: environment, process: 7)?.watchdog
        }
        #expect(
            SystemdNotifier(environment: ["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "90000000"])?.watchdogInterval
                == .seconds(45))
        #expect(watchdog("2000000", "7") == .seconds(2))
        #expect(watchdog("2000000", nil) == .seconds(2))
        #expect(watchdog("2000000", "8") == nil)
        #expect(watchdog("0", nil) == nil)
        #expect(watchdog("soon", nil) == nil)
    }

    #if os(Linux)
        @Test func `abstract sockets are supported`() throws {
            let ear = try DatagramSocket(at: "@heybot-\(UUID().uuidString)")
            try #require(SystemdNotifier(environment: ["NOTIFY_SOCKET": ear.path])).notify("STATUS=well", "READY=1")
            #expect(ear.hear("READY=1") == "STATUS=well\nREADY=1")
        }
    #endif
}

/// A Unix datagram socket like systemd's.
final class DatagramSocket: Sendable {
    let path: String
    private let descriptor: Int32

    /// - Parameter path: The path; with a leading `@` the socket is abstract.
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
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Returns the next datagram that contains the text, skipping others, or an empty one after a timeout.
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
