import Heybot
import IRCAdapter
import SQLiteStore
import XMPPAdapter

/// Counts its commands on all networks together.
struct Count: Script {
    static let counts = BrainCollection<Int>("count")

    func register(on robot: inout RobotBuilder) {
        robot.respond(/count$/) { res in
            let count = try await res.brain.update(Self.counts, "all", default: 0) {
                $0 += 1
                return $0
            }
            try await res.send("that makes \(count)")
        }
    }
}

// Arguments: the ports of two IRC servers and an XMPP server, its certificate, a room there, and the brain's file.
let arguments = CommandLine.arguments
var account = XMPPAdapter.Configuration(address: "marvin@xmpp.test", password: "pencil", rooms: [.init(arguments[5])])
(account.host, account.port, account.authorityFile) = ("127.0.0.1", Int(arguments[3]), arguments[4])

try await Robot(
    name: "marvin",
    adapters: [
        IRCAdapter(server: .init(host: "127.0.0.1", port: Int(arguments[1])), channels: ["#dev"], name: "one"),
        IRCAdapter(server: .init(host: "127.0.0.1", port: Int(arguments[2])), channels: ["#ops"], name: "two"),
        XMPPAdapter(account)
    ],
    brain: Brain(store: SQLiteStore(path: arguments[6])), scripts: [Count()]
).run()
