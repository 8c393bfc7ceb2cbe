import Foundation

/// A scripted server's side of the registration.
struct RegistrationDialogue {
    private let registration: RegistrationScript
    private var negotiates = false
    private var mechanism: String?
    private var scram: ScramServer?
    /// The parts of a response received so far.
    private var response = ""

    var client = RegisteredClient()

    init(_ registration: RegistrationScript) { self.registration = registration }

    var isDone: Bool { !client.nick.isEmpty && !client.user.isEmpty && !negotiates }

    var welcome: [String] {
        let (server, nick) = (registration.serverName, client.nick)
        let prefix = ":\(server)"
        let tags = registration.time.map { "@time=\($0) " } ?? ""
        return [
            "\(tags)\(prefix) 001 \(nick) :Welcome to the Tests IRC Network \(nick)!\(client.user)@host.test",
            "\(prefix) 002 \(nick) :Your host is \(server), running version tests",
            "\(prefix) 003 \(nick) :This server was created just now",
            "\(prefix) 004 \(nick) \(server) tests iow biklmnopstv",
            "\(prefix) 005 \(nick) \(registration.support.joined(separator: " ")) :are supported by this server",
            "\(prefix) 375 \(nick) :- \(server) Message of the day -", "\(prefix) 372 \(nick) :- Hello",
            "\(prefix) 376 \(nick) :End of /MOTD command."
        ]
    }

    mutating func answer(_ line: String) -> [String] {
        let head = line.components(separatedBy: " :")
        var words = head[0].split(separator: " ").map(String.init)
        if head.count > 1 { words.append(head.dropFirst().joined(separator: " :")) }
        guard let command = words.first?.uppercased() else { return [] }
        let arguments = Array(words.dropFirst())
        switch command {
        case "PASS": client.password = arguments.first
        case "NICK": return takeNick(arguments.first ?? "")
        case "USER": (client.user, client.realName) = (arguments.first ?? "", arguments.last ?? "")
        case "CAP": return negotiate(arguments)
        case "AUTHENTICATE": return authenticate(arguments.first ?? "")
        case "PING": return ["PONG \(registration.serverName) \(arguments.first ?? "")"]
        case "QUIT": return ["ERROR :Closing link"]
        default: return [reply("451", "\(command) :You have not registered")]
        }
        return []
    }

    private func reply(_ number: String, _ rest: String) -> String {
        ":\(registration.serverName) \(number) \(client.nick.isEmpty ? "*" : client.nick) \(rest)"
    }

    private mutating func takeNick(_ nick: String) -> [String] {
        if registration.takenNicks.contains(nick) { return [reply("433", "\(nick) :Nickname is already in use.")] }
        client.nick = nick
        return []
    }

    private mutating func negotiate(_ arguments: [String]) -> [String] {
        guard let offered = registration.capabilities, let command = arguments.first?.uppercased() else {
            return [reply("421", "CAP :Unknown command")]
        }
        let asked = (arguments.dropFirst().last ?? "").split(separator: " ").map(String.init)
        switch command {
        case "LS":
            negotiates = true
            // Only clients with version 302 get values.
            let withValues = (arguments.count > 1 ? Int(arguments[1]) ?? 0 : 0) >= 302
            let list = offered.map { withValues ? $0 : Self.name($0) }.joined(separator: " ")
            return [reply("CAP", "LS :\(list)")]
        case "REQ":
            negotiates = true
            let names = Set(offered.map(Self.name))
            let isKnown = asked.allSatisfy { names.contains($0.hasPrefix("-") ? String($0.dropFirst()) : $0) }
            guard isKnown else { return [reply("CAP", "NAK :\(asked.joined(separator: " "))")] }
            for name in asked {
                if name.hasPrefix("-") {
                    client.capabilities.remove(String(name.dropFirst()))
                } else {
                    client.capabilities.insert(name)
                }
            }
            return [reply("CAP", "ACK :\(asked.joined(separator: " "))")]
        case "LIST": return [reply("CAP", "LIST :\(client.capabilities.sorted().joined(separator: " "))")]
        case "END": negotiates = false
        default: return [reply("410", "\(command) :Invalid CAP command")]
        }
        return []
    }

    private static func name(_ capability: String) -> String {
        String(capability.prefix { $0 != "=" })
    }

    private mutating func authenticate(_ word: String) -> [String] {
        guard let login = registration.login, client.capabilities.contains("sasl") else { return [fail()] }
        if word == "*" {
            mechanism = nil
            return [reply("906", ":SASL authentication aborted")]
        }
        guard let mechanism else {
            guard offers(word) else {
                return [reply("908", "\(mechanisms.joined(separator: ",")) :are available SASL mechanisms"), fail()]
            }
            self.mechanism = word
            response = ""
            scram = ScramServer.Hash(rawValue: word).map { ScramServer($0, password: login.password) }
            return ["AUTHENTICATE +"]
        }
        if word != "+" { response += word }
        if word.utf8.count == 400 { return [] }
        defer { response = "" }
        guard let bytes = Data(base64Encoded: response) else { return [fail()] }
        if mechanism == "PLAIN" {
            // The identity may be named.
            let response = "\0\(login.account)\0\(login.password)"
            let isRight = [response, login.account + response].contains { bytes.elementsEqual($0.utf8) }
            return isRight ? succeed(login.account) : [fail()]
        }
        // The client has accepted the server's signature.
        if bytes.isEmpty, let scram, scram.hasProof {
            return scram.account == login.account ? succeed(login.account) : [fail()]
        }
        guard let answer = try? scram?.respond(to: Array(bytes)) else { return [fail()] }
        return pieces(Data(answer).base64EncodedString()).map { "AUTHENTICATE \($0)" }
    }

    private var mechanisms: [String] {
        let values = registration.capabilities?.first { $0.hasPrefix("sasl=") }?.dropFirst(5)
        return values?.split(separator: ",").map(String.init)
            ?? ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-512"]
    }

    private func offers(_ mechanism: String) -> Bool {
        mechanisms.contains(mechanism) && (mechanism == "PLAIN" || ScramServer.Hash(rawValue: mechanism) != nil)
    }

    private mutating func succeed(_ account: String) -> [String] {
        (client.account, client.mechanism) = (account, mechanism)
        let nick = client.nick.isEmpty ? "*" : client.nick
        return [
            reply("900", "\(nick)!\(client.user)@host.test \(account) :You are now logged in as \(account)"),
            reply("903", ":SASL authentication successful")
        ]
    }

    private mutating func fail() -> String {
        mechanism = nil
        return reply("904", ":SASL authentication failed")
    }

    /// Splits a response into lines of 400, with an empty one if the last is full.
    private func pieces(_ text: String) -> [String] {
        var (pieces, rest) = ([String](), Substring(text))
        while rest.utf8.count >= 400 {
            pieces.append(String(rest.prefix(400)))
            rest = rest.dropFirst(400)
        }
        return pieces + [rest.isEmpty ? "+" : String(rest)]
    }
}
