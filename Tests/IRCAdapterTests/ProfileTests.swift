import Heybot
import HeybotTesting
import TestServers
import Testing

@testable import IRCAdapter

/// New nicks and real names, with a scripted server.
@Suite(.timeLimit(.minutes(15))) struct ProfileTests {
    private let script = InlineScript { robot in
        robot.profile { res in
            let (user, change) = (res.message.user, res.match)
            let name = change.formerName.map { "was \($0)" }
            let realName = change.realName.map { "is called \($0)" }
            try await res.send("\(user.id) \(user.name) \(name ?? realName ?? "is the same")")
        }
    }

    @Test func `scripts hear of new nicks and real names, and whose they are`() async throws {
        let server = try ScriptedIRCServer()
        try await withBot(Bot(.test(server.port, "#dev"), script)) { bot in
            let client = try await server.accept()
            client.answerJoins(of: "marvin!~marvin@host.test")
            client.answerPings()
            _ = try await client.welcome(RegistrationScript(capabilities: ["account-tag", "setname"]))
            try await bot.isUp()
            client.send("@account=lovelace :alice!a@h NICK countess")
            try await client.expect("PRIVMSG #dev :irc:lovelace countess was alice")
            client.send(":bob!b@h SETNAME :Bob B.")
            try await client.expect("PRIVMSG #dev :irc:!bob bob is called Bob B.")
        }
    }
}
