#if AllParts || IRC
    import HeybotIRC
    import HeybotSockets
    import IRCAdapter

    extension ValueParser where Value == String? {
        /// A word without spaces, such as a user name.
        static let word = ValueParser(
            shape: .text, expected: "one word, without spaces",
            read: { $0.contains(where: \.isWhitespace) || $0.hasPrefix(":") ? nil : .some($0) }, show: { $0 })

        static let nickServ = ValueParser(
            shape: .text, expected: "a nick, nick@server, or a hostmask such as NickServ!*@services.example.net",
            read: { text in
                let nick = text.prefix { $0 != "!" && $0 != "@" }
                let hasAddress = nick.count < text.count
                let isWhole = !hasAddress || text.contains("@") && text.last != "@"
                return IRCAdapter.Configuration.isNick(String(nick)) && isWhole && !text.contains(where: \.isWhitespace)
                    ? .some(text) : nil
            }, show: { $0 })

        static let nick = ValueParser(
            shape: .text, expected: "a nick: letters, digits and []\\`_^{|}-, not beginning with a digit",
            read: { IRCAdapter.Configuration.isNick($0) ? .some($0) : nil }, show: { $0 })

        static let line = ValueParser(
            shape: .text, expected: "one line",
            read: { text in IRCMessage(text) == nil || text.contains(where: \.isNewline) ? nil : .some(text) },
            show: { $0 }
        )
    }

    extension ValueParser where Value == [String] {
        static let nicks = ValueParser(
            shape: .list, expected: "nicks separated by commas",
            read: { text in
                commaSeparated(text).allSatisfy(IRCAdapter.Configuration.isNick) ? commaSeparated(text) : nil
            },
            show: { $0.isEmpty ? nil : $0.joined(separator: ",") })

        static let saslMechanisms = ValueParser(
            shape: .list,
            expected: "SASL mechanisms separated by commas: EXTERNAL, ECDSA-NIST256P-CHALLENGE, SCRAM-SHA-512, "
                + "SCRAM-SHA-256 or PLAIN",
            read: { text in
                let names = commaSeparated(text).map { $0.uppercased() }
                let known = ["EXTERNAL", "ECDSA-NIST256P-CHALLENGE", "SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"]
                return names.isEmpty || !names.allSatisfy(known.contains) ? nil : names
            },
            show: { $0.isEmpty ? nil : $0.joined(separator: ",") })

        static let masks = ValueParser(
            shape: .list, expected: "nicks or masks such as *!*@*.example.org, separated by commas",
            read: { commaSeparated($0) }, show: { $0.isEmpty ? nil : $0.joined(separator: ",") })
    }

    extension ValueParser where Value == [IRCAdapter.Configuration.Channel] {
        static let channels = ValueParser(
            shape: .list,
            expected: "channels such as #dev, separated by commas; write a channel with a key as #dev key",
            read: { text in
                let channels = commaSeparated(text).map { part -> IRCAdapter.Configuration.Channel? in
                    let words = part.split(separator: " ").map(String.init)
                    guard let name = words.first, words.count <= 2, let first = name.first, "#&!+".contains(first),
                        name.count > 1
                    else { return nil }
                    return IRCAdapter.Configuration.Channel(name, key: words.count == 2 ? words[1] : nil)
                }
                let known = channels.compactMap { $0 }
                return known.count == channels.count ? known : nil
            },
            // Without the keys, which are secrets.
            show: { $0.isEmpty ? nil : $0.map(\.name).joined(separator: ",") }, holdsSecrets: true)
    }

    extension ValueParser where Value == [IRCAdapter.Configuration.Server] {
        static let servers = ValueParser(
            shape: .list,
            expected: "a server such as irc.libera.chat or irc.libera.chat:6697, or several separated by commas",
            read: { text in
                let servers = commaSeparated(text).map { IRCAdapter.Configuration.Server($0) }
                let known = servers.compactMap { $0 }
                return known.isEmpty || known.count < servers.count ? nil : known
            },
            show: { $0.isEmpty ? nil : $0.map(\.description).joined(separator: ",") })
    }
#endif
