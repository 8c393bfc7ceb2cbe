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
