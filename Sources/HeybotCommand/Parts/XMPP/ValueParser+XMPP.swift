#if AllParts || XMPP
    import HeybotSASL
    import HeybotXMPP
    import XMPPAdapter

    extension ValueParser where Value == [String] {
        static let people = addresses("addresses such as ada@example.org") { $0.local != nil }
        static let domains = addresses("domains such as example.org") { $0.local == nil }
        static let addresses = addresses("addresses or domains") { _ in true }

        private static func addresses(_ expected: String, _ isOne: @escaping @Sendable (JID) -> Bool) -> ValueParser {
            ValueParser(
                shape: .list, expected: "\(expected), separated by commas",
                read: { text in
                    let known = commaSeparated(text).compactMap { try? JID($0) }.filter(isOne)
                    return known.count == commaSeparated(text).count ? known.map(\.bare.description) : nil
                },
                show: { $0.isEmpty ? nil : $0.joined(separator: ",") })
        }
    }

    extension ValueParser where Value == [XMPPAdapter.Configuration.Room] {
        static let rooms = ValueParser(
            shape: .list,
            expected:
                "rooms such as dev@conference.example.org, separated by commas; write a room with a password as room:password",
            read: { text in
                let rooms = commaSeparated(text).map { part -> XMPPAdapter.Configuration.Room? in
                    let halves = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                        String.init)
                    guard let address = try? JID(halves[0]), address.local != nil, halves.last != "" else { return nil }
                    return XMPPAdapter.Configuration.Room(
                        address.bare.description, password: halves.count == 2 ? halves[1] : nil)
                }
                let known = rooms.compactMap { $0 }
                return known.count == rooms.count ? known : nil
            },
            // Without the passwords, which are secrets.
            show: { $0.isEmpty ? nil : $0.map(\.address).joined(separator: ",") }, holdsSecrets: true)
    }

    extension ValueParser where Value == XMPPAdapter.Configuration.AllowedContacts {
        static let contacts = ValueParser(
            shape: .list, expected: "all, none, or addresses and domains separated by commas",
            read: { text in
                switch text.lowercased() {
                case "all": .all
                case "none": XMPPAdapter.Configuration.AllowedContacts.none
                default: ValueParser<[String]>.addresses.read(text).map { .only(Array(Set($0)).sorted()) }
                }
            },
            show: { contacts in
                switch contacts {
                case .all: "all"
                case .none: "none"
                case .only(let known): known.joined(separator: ",")
                }
            })
    }

    extension ValueParser where Value == String? {
        static let address = ValueParser(
            shape: .text, expected: "an address such as marvin@example.org",
            read: { text in (try? JID(text)).flatMap { $0.local == nil ? nil : .some($0.description) } }, show: { $0 })

        static let mechanism = ValueParser(
            shape: .text, expected: "SCRAM-SHA-512, SCRAM-SHA-256, SCRAM-SHA-1 or PLAIN",
            read: { text in
                Mechanism(rawValue: text.uppercased()).flatMap {
                    $0 == .external || $0 == .ecdsaChallenge ? nil : .some($0.rawValue)
                }
            }, show: { $0 })

        static let roomNick = ValueParser(
            shape: .text, expected: "a nick for rooms, without control characters",
            read: { isRoomNick($0) ? .some($0) : nil }, show: { $0 })

        static let host = ValueParser(
            shape: .text, expected: "the name of a host, or an IP address",
            read: { text in
                let isHost = text.allSatisfy { $0.isLetter || $0.isNumber || ".-_:%".contains($0) }
                return isHost ? .some(text) : nil
            }, show: { $0 })
    }

    /// Whether the text is a valid nick in a room.
    func isRoomNick(_ text: String) -> Bool {
        (try? JID(domain: "room.invalid", resource: text)) != nil
    }
#endif
