import HeybotSASL

extension Profile {
    /// A line as it may be logged: without passwords and keys, those that are set wherever they stand in it.
    package func loggable(_ line: IRCMessage) -> String {
        let text = line.redacted
        return secrets.contains { text.contains($0) } ? "\(line.command) (secret)" : text
    }

    private var secrets: [String] {
        let own = [serverPassword, account?.password] + channels.map(\.key)
        let lines = commands.compactMap { IRCMessage($0) }.flatMap { $0.parameters.dropFirst() }
        return (own.compactMap { $0 } + lines).filter { !$0.isEmpty }
    }
}

extension IRCMessage {
    /// The line as it may be logged: without passwords and keys.
    package var redacted: String {
        switch command.uppercased() {
        case "PASS", "AUTHENTICATE", "OPER", "IDENTIFY", "NS", "NICKSERV": "\(command) (secret)"
        case "JOIN" where source == nil && parameters.count > 1: "JOIN \(parameters[0]) (secret)"
        case "PRIVMSG", "NOTICE", "SQUERY":
            // Services are told passwords, and may repeat them.
            if parameters.first?.lowercased().prefix(while: { $0 != "@" }).hasSuffix("serv") == true {
                "\(command) \(parameters[0]) (secret)"
            } else {
                description
            }
        default: description
        }
    }
}
