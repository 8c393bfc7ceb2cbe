import TestServers
import Testing

@testable import HeybotSASL

/// Successful logins, and credentials that can't be sent.
@Suite struct SASLClientTests {
    @Test func `the strongest mechanism comes first`() {
        #expect(
            Mechanism.allCases.map(\.rawValue)
                == [
                    "EXTERNAL", "ECDSA-NIST256P-CHALLENGE", "SCRAM-SHA-512-PLUS", "SCRAM-SHA-256-PLUS",
                    "SCRAM-SHA-1-PLUS", "SCRAM-SHA-512", "SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN"
                ])
    }

    @Test func `the example of RFC 5802`() throws {
        var login = try SASLClient(.scramSHA1, pencil, nonce: "fyko+d2lbbFgONRv9qkxdawL")
        #expect(login.begin() == Array("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL".utf8))
        let nonce = "fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j"
        let answer = try login.respond("r=\(nonce),s=QSXCR+Q6sek8bf92,i=4096")
        #expect(answer == "c=biws,r=\(nonce),p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=")
        #expect(try login.respond("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=") == "")
        try login.finish(nil)
    }

    @Test func `the example of RFC 7677`() throws {
        var login = try SASLClient(.scramSHA256, pencil, nonce: "rOprNGfwEbeRWgbNEkqO")
        #expect(login.begin() == Array("n,,n=user,r=rOprNGfwEbeRWgbNEkqO".utf8))
        let nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
        let answer = try login.respond("r=\(nonce),s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
        #expect(answer == "c=biws,r=\(nonce),p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
        // As in XMPP, the signature comes with the success.
        try login.finish(Array("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=".utf8))
    }

    @Test(arguments: [
        ("user", "pencil"), ("a=b,c", "=,="), ("=2C", "=3D"), ("jürgen", "pässwörd"), ("日本", "パスワード"),
        ("a,\u{338}", "👩‍👩‍👧"), ("user", " with spaces "), ("user", String(repeating: "long", count: 300))
    ])
    func `a server takes any account and password`(_ account: String, _ password: String) throws {
        for (mechanism, hash) in [
            (Mechanism.scramSHA1, ScramServer.Hash.sha1), (.scramSHA256, .sha256), (.scramSHA512, .sha512)
        ] {
            // The joiners in an emoji are mapped to nothing.
            let prepared = String(String.UnicodeScalarView(password.unicodeScalars.filter { $0 != "\u{200d}" }))
            var server = ScramServer(hash, password: prepared)
            var login = try SASLClient(mechanism, Credentials(account: account, password: password), nonce: nonce)
            let answer = try login.respond(to: try server.respond(to: login.begin()))
            #expect(server.account == account)
            #expect(try login.respond(to: try server.respond(to: answer)).isEmpty)
            try login.finish(nil)
        }
    }

    @Test func `a server detects a wrong password`() throws {
        var server = ScramServer(.sha256, password: "pen")
        var login = try SASLClient(.scramSHA256, pencil, nonce: nonce)
        let answer = try login.respond(to: try server.respond(to: login.begin()))
        #expect(throws: ScramServerError.wrongProof) { try server.respond(to: answer) }
    }

    @Test func `PLAIN sends account and password unprepared`() throws {
        var login = try SASLClient(.plain, Credentials(account: "jür\u{a0}gen", password: "p\u{ad},= "), nonce: "")
        #expect(login.begin() == Array("\0jür\u{a0}gen\0p\u{ad},= ".utf8))
        try login.finish(nil)
    }

    @Test func `PLAIN can name the account as the identity too`() throws {
        var login = try SASLClient(.plain, pencil, nonce: "", namesIdentity: true)
        #expect(login.begin() == Array("user\0user\0pencil".utf8))
    }

    @Test func `EXTERNAL sends nothing`() throws {
        for credentials in [nil, pencil, Credentials(account: "", password: "")] {
            var login = try SASLClient(.external, credentials, nonce: "")
            #expect(login.mechanism == .external)
            #expect(login.begin() == [])
            try login.finish([])
        }
    }

    @Test func `an empty challenge requests the initial response`() throws {
        var login = try SASLClient(.plain, pencil, nonce: "")
        #expect(try login.respond("") == "\0user\0pencil")
        var scram = try SASLClient(.scramSHA1, pencil, nonce: nonce)
        #expect(try scram.respond("") == "n,,n=user,r=\(nonce)")
        #expect(throws: SASLError.self) { try scram.respond("") }
    }

    @Test(
        arguments: [
            (.plain, nil), (.scramSHA1, nil), (.scramSHA256, nil), (.plain, Credentials(account: "", password: "x")),
            (.plain, Credentials(account: "x", password: "")), (.scramSHA1, Credentials(account: "", password: "x")),
            (.scramSHA1, Credentials(account: "x", password: "")),
            (.plain, Credentials(account: "a\0", password: "x")), (.plain, Credentials(account: "a", password: "\0")),
            (.scramSHA256, Credentials(account: "a\u{7f}", password: "x")),
            (.scramSHA256, Credentials(account: "a", password: "x\n")),
            (.scramSHA256, Credentials(account: "a", password: "\u{ad}"))
        ] as [(Mechanism, Credentials?)])
    func `invalid credentials are rejected`(_ mechanism: Mechanism, _ credentials: Credentials?) {
        let error = #expect(throws: SASLError.self) { try SASLClient(mechanism, credentials, nonce: nonce) }
        guard case .unusable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["", "seventeenletters!", "eighteen, with comma", "eighteen with space", "eighteen-zeichen-ü"])
    func `a nonce must be long and printable`(_ nonce: String) throws {
        #expect(throws: SASLError.self) { try SASLClient(.scramSHA1, pencil, nonce: nonce) }
        _ = try SASLClient(.plain, pencil, nonce: nonce)
    }

    @Test func `no description contains the password`() throws {
        let secret = "ge=heim,wort"
        let credentials = Credentials(account: "user", password: secret)
        var told: [String] = []
        func tell(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            told += ["\(value)", String(describing: value), String(reflecting: value), dumped]
        }
        tell(credentials)
        tell([credentials])
        tell(Optional(credentials) as Any)
        tell(["key": credentials])
        for mechanism in Mechanism.allCases where mechanism != .ecdsaChallenge {
            let binding = ChannelBindingUse.bound(ChannelBinding(.exporter, [1, 2, 3]))
            var login = try SASLClient(
                mechanism, credentials, nonce: nonce, binding: mechanism.isBound ? binding : .impossible)
            tell(login)
            _ = login.begin()
            tell(login)
            if mechanism.rawValue.hasPrefix("SCRAM") {
                let answer = try login.respond("r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4096")
                tell(login)
                let proof = try #require(answer.split(separator: ",p=").last)
                #expect(!told.contains { $0.contains(proof) })
            }
        }
        for bad in ["\0", "\u{202e}", "\u{e000}"] {
            for mechanism in [Mechanism.plain, .scramSHA1] {
                do {
                    tell(try SASLClient(mechanism, Credentials(account: "user", password: secret + bad), nonce: nonce))
                } catch { tell(error) }
            }
        }
        #expect(told.count >= 80)
        #expect(!told.contains { $0.contains("ge=heim") || $0.contains("ge=3D") || $0.contains("wort") })
        // Not even as bytes.
        #expect(!told.contains { $0.contains("103") })
    }

    @Test func `credentials are compared by account and password`() {
        #expect(pencil == Credentials(account: "user", password: "pencil"))
        #expect(pencil != Credentials(account: "user", password: "pen"))
        #expect("\(pencil)" == "the account user")
    }
}
