public import Heybot
import HeybotIRC
import NetworkAdapter

/// The users named in the settings: by account, hostmask or client certificate.
struct ConfiguredUsers: Sendable {
    private var accounts: [(name: String, id: String)] = []
    private var masks: [(mask: Hostmask, id: String)] = []
    private var certificates: Set<String> = []
    private static let certificatePrefix = "certfp:"

    /// A hostmask whose parts are matched separately, so that a part that a user can choose doesn't match the next one.
    private struct Hostmask {
        let nick: Mask
        let user: Mask
        let host: Mask
        /// Whether the host pattern ends in `*`, which must only match addresses, because a host name can begin with any text.
        let isForAddresses: Bool

        /// - Parameter text: `nick!user@host`.
        init(_ text: String) {
            let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            let names = parts[0].split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false)
            nick = Mask(String(names[0]))
            user = Mask(names.count > 1 ? String(names[1]) : "*")
            host = Mask(parts.count > 1 ? String(parts[1]) : "")
            isForAddresses = text.hasSuffix("*")
        }

        func matches(_ source: Source, by mapping: CaseMapping) -> Bool {
            guard let user = source.user, let host = source.host else { return false }
            return nick.matches(source.nick, by: mapping) && self.user.matches(user, by: mapping)
                && self.host.matches(host, by: .ascii) && (!isForAddresses || Self.isAddress(host))
        }

        /// Whether it is an IPv4 or IPv6 address, judging by its characters; host names have no colon.
        private static func isAddress(_ host: String) -> Bool {
            let isIPv6 = host.contains(":")
            return host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
                case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"):
                    isIPv6
                default: false
                }
            }
        }
    }

    /// The accounts, as written in the settings.
    var accountNames: [String] { accounts.map(\.name) }

    /// Whether any user is named by certificate.
    var hasCertificates: Bool { !certificates.isEmpty }

    /// Creates an empty list.
    init() {}

    /// Creates a list; invalid names are skipped.
    init(_ names: [String]) {
        for name in names { _ = try? add(name) }
    }

    /// Adds a user by account, by a hostmask with `*` and `?`, such as `ada!*@staff.example.org`, or by a client certificate's
    /// fingerprint, as `certfp:` and hexadecimal digits.
    ///
    /// - Returns: The user's id.
    /// - Throws: ``Heybot/AdapterError`` if the name is invalid.
    mutating func add(_ name: String) throws(AdapterError) -> String {
        // The network's case mapping isn't known yet. Every mapping folds ASCII letters, so folding them never
        // confuses two users.
        let id = CaseMapping.ascii.fold(name)
        if id.hasPrefix(Self.certificatePrefix) {
            guard let fingerprint = SessionConfiguration.fingerprint(String(id.dropFirst(Self.certificatePrefix.count)))
            else {
                throw AdapterError(
                    .invalidName,
                    "a certificate's fingerprint has 32, 40, 64, 96 or 128 hexadecimal digits, as WHOIS shows it")
            }
            certificates.insert(fingerprint)
            return Self.certificatePrefix + fingerprint
        }
        if name.contains("@") {
            try Self.check(mask: name)
            if !masks.contains(where: { $0.id == id }) { masks.append((Hostmask(name), id)) }
        } else {
            try Self.check(account: name)
            if !accounts.contains(where: { $0.id == id }) { accounts.append((name, id)) }
        }
        return id
    }

    func id(ofCertificates fingerprints: [String]) -> String? {
        fingerprints.first { certificates.contains($0) }.map { Self.certificatePrefix + $0 }
    }

    func id(of source: Source, by mapping: CaseMapping) -> String? {
        if masks.isEmpty || source.user == nil || source.host == nil { return nil }
        return masks.first { $0.mask.matches(source, by: mapping) }?.id
    }

    /// Accounts are compared as ASCII: services needn't fold `[` and `{` as the server does for nicks.
    func id(ofAccount account: String) -> String? {
        accounts.first { CaseMapping.ascii.areSame($0.name, account) }?.id
    }

    private static func check(mask: String) throws(AdapterError) {
        let parts = mask.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "!", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].contains("@"), names.count == 2, names.allSatisfy({ !$0.isEmpty }),
            !mask.unicodeScalars.contains(where: { $0.value <= 32 || $0 == "," }), mask.utf8.count <= 200
        else { throw AdapterError(.invalidName, "a hostmask is nick!user@host, such as ada!*@staff.example.org") }
        // Users can choose any nick and user name.
        guard parts[1].contains(where: { $0.isLetter || $0.isNumber }) else {
            throw AdapterError(
                .invalidName, "that matches everyone: a hostmask needs a host, such as ada!*@staff.example.org")
        }
    }

    private static func check(account: String) throws(AdapterError) {
        guard !account.isEmpty, account.utf8.count <= 64 else {
            throw AdapterError(.invalidName, "an account name has 1 to 64 characters")
        }
        if let bad = account.unicodeScalars.first(where: { $0.value <= 32 || "!*?,:#&%~".unicodeScalars.contains($0) })
        {
            throw AdapterError(.invalidName, "an account name can't contain \"\(bad)\"; a hostmask is nick!user@host")
        }
    }
}

extension IRCAdapter: ConfiguredUserRecognition {
    /// The id of a user named by account (`ada`), by hostmask (`ada!*@staff.example.org`), or by client certificate (`certfp:`
    /// and its fingerprint).
    ///
    /// - Throws: ``Heybot/AdapterError`` if the name is invalid.
    public func userID(named name: String) throws -> String {
        var namedUsers = ConfiguredUsers()
        return try namedUsers.add(name)
    }

    public func recognize(_ names: [String]) {
        let namedUsers = ConfiguredUsers(names)
        driver.withLock { $0.namedUsers = namedUsers }
    }
}
