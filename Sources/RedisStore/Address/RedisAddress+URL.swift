extension RedisAddress {
    /// Parses a URL; surrounding whitespace is ignored.
    public init(_ url: String) throws(RedisAddressError) {
        var url = url[...]
        while url.first?.isWhitespace == true { url.removeFirst() }
        while url.last?.isWhitespace == true { url.removeLast() }
        guard !url.contains("#") else { throw .fragment }
        guard let colon = url.firstIndex(of: ":"), let scheme = Scheme(rawValue: url[..<colon].lowercased()) else {
            throw .scheme
        }
        var rest = url[url.index(after: colon)...]
        let query = Self.cut(&rest, behind: "?")
        guard rest.hasPrefix("//") else {
            // unix:/run/redis.sock
            guard scheme == .unix, rest.hasPrefix("/") else { throw .scheme }
            self.init(.socket(path: try Self.decoded(rest)))
            try read(query: query)
            return
        }
        rest = rest.dropFirst(2)
        let authority = rest.prefix { $0 != "/" }
        var path = rest[authority.endIndex...].split(separator: "/").map { $0 }
        let (login, hosts) = Self.splitLogin(authority)
        // A password with an unescaped slash or question mark.
        guard !rest[authority.endIndex...].contains("@"), query?.contains("@") != true else { throw .host }
        if scheme == .unix || hosts.isEmpty && !path.allSatisfy(Self.isDigits) {
            guard hosts.isEmpty, !path.isEmpty else { throw .host }
            self.init(.socket(path: try Self.decoded(rest[authority.endIndex...])))
            path = []
        } else if scheme.isSentinels {
            guard !path.isEmpty else { throw .master }
            var sentinels: [HostAndPort] = []
            for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
                sentinels.append(try Self.host(host, port: 26_379))
            }
            self.init(.sentinels(sentinels, master: try Self.decoded(path.removeFirst())))
        } else {
            self.init(.server(hosts.isEmpty ? HostAndPort("localhost") : try Self.host(hosts, port: 6_379)))
        }
        isEncrypted = scheme.isEncrypted
        if let login {
            var user = login
            let password = Self.cut(&user, behind: ":")
            self.user = user.isEmpty || password == nil ? nil : try Self.decoded(user)
            // A password without a user name.
            self.password = try Self.decoded(password ?? user)
            if self.password?.isEmpty == true { self.password = nil }
        }
        for (index, part) in path.enumerated() {
            if Self.isDigits(part), index == 0 { try set(database: part) } else { try set(prefix: part) }
        }
        try read(query: query)
    }

    private enum Scheme: String {
        case redis, rediss, unix
        case redisUnix = "redis+unix"
        case redisSentinel = "redis+sentinel"
        case redissSentinel = "rediss+sentinel"

        var isEncrypted: Bool { self == .rediss || self == .redissSentinel }
        var isSentinels: Bool { self == .redisSentinel || self == .redissSentinel }
    }

    /// Parses a prefix alone, or `prefix=…&db=…`.
    private mutating func read(query: Substring?) throws(RedisAddressError) {
        guard let query else { return }
        for part in query.split(separator: "&") {
            var name = part
            switch (name, Self.cut(&name, behind: "=")) {
            case (_, nil): try set(prefix: part)
            case (_, let value?) where name == "prefix": try set(prefix: value)
            case (_, let value?) where name == "db": try set(database: value)
            default: throw .option
            }
        }
    }

    private mutating func set(database text: Substring) throws(RedisAddressError) {
        guard let number = Int(text), (0...65_535).contains(number) else { throw .database }
        database = number
    }

    private mutating func set(prefix text: Substring) throws(RedisAddressError) {
        let text = try Self.decoded(text)
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        guard prefix == nil, !text.isEmpty, isPrintable else { throw .prefix }
        prefix = text
    }

    // MARK: Parsing

    /// Splits at the last `@`, which hosts can't contain.
    private static func splitLogin(_ authority: Substring) -> (login: Substring?, hosts: Substring) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, authority) }
        return (authority[..<at], authority[authority.index(after: at)...])
    }

    /// Parses `host`, `host:port`, `[address]` or `[address]:port`.
    private static func host(_ text: Substring, port usual: Int) throws(RedisAddressError) -> HostAndPort {
        var host = text
        let port: Substring?
        if host.first == "[" {
            guard let end = host.firstIndex(of: "]") else { throw .host }
            let tail = host[host.index(after: end)...]
            guard tail.isEmpty || tail.first == ":" else { throw .host }
            port = tail.isEmpty ? nil : tail.dropFirst()
            host = host[host.index(after: host.startIndex)..<end]
        } else {
            port = cut(&host, behind: ":")
        }
        let number = port.map { Int($0) ?? 0 } ?? usual
        guard (1...65_535).contains(number) else { throw .port }
        let name = try decoded(host)
        let isHost = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || ".-_:%".contains($0) }
        guard isHost else { throw .host }
        return HostAndPort(name, port: number)
    }

    /// Cuts a text at the first occurrence of a character, and returns the rest; nil if there is none.
    private static func cut(_ text: inout Substring, behind character: Character) -> Substring? {
        guard let index = text.firstIndex(of: character) else { return nil }
        defer { text = text[..<index] }
        return text[text.index(after: index)...]
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Decodes percent-encoding (RFC 3986 section 2.1).
    private static func decoded(_ text: Substring) throws(RedisAddressError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 2 else { throw .encoding }
            bytes.append(UInt8(digits[0] << 4 | digits[1]))
            rest = rest.dropFirst(2)
        }
        guard let string = String(validating: bytes, as: UTF8.self) else { throw .encoding }
        return string
    }
}
