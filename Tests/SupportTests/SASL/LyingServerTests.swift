import Testing

@testable import HeybotSASL

/// Servers that lie, or violate the protocol.
@Suite struct LyingServerTests {
    private static let good = "r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4096"

    @Test(arguments: [
        "", ",", "r", "r=", "=", "hello", "r=\(nonce)x", "r=\(nonce)x,s=QSXCR+Q6sek8bf92", "\(good),", "\(good),x",
        "\(good),x=", "\(good),1=y", "\(good),=y", ",\(good)", "a=b,\(good)", "r=\(nonce)x,i=4096,s=QSXCR+Q6sek8bf92",
        "s=QSXCR+Q6sek8bf92,r=\(nonce)x,i=4096", "r=\(nonce)x,,s=QSXCR+Q6sek8bf92,i=4096",
        "R=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4096", "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="
    ])
    func `malformed messages are rejected`(_ challenge: String) throws {
        try isBad(challenge)
    }

    @Test(arguments: [
        nonce, String(nonce.dropLast()), "x\(nonce)", "somebody-elses-nonce-altogether", nonce.uppercased() + "x",
        "\(nonce) x", "\(nonce)\u{7f}", "\(nonce)é"
    ])
    func `the server's nonce must extend the client's`(_ theirs: String) throws {
        try isBad("r=\(theirs),s=QSXCR+Q6sek8bf92,i=4096")
    }

    @Test(arguments: [
        "A", "AA", "AA=", "QSXCR+Q6sek8bf9", "QQ=\n=", "QQ==QQ==", "QR==", "Q-_=", "é", "=", "====", "QQ== "
    ])
    func `the salt must be Base64`(_ salt: String) throws {
        try isBad("r=\(nonce)x,s=\(salt),i=4096")
    }

    @Test(arguments: ["0", "04096", "-4096", "+4096", "4096.0", "4k", " 4096", "0x1000", "٤٠٩٦"])
    func `the iteration count must be a number`(_ count: String) throws {
        try isBad("r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=\(count)")
    }

    @Test(arguments: [
        ("1", SASLError.tooFewIterations(1)), ("4095", .tooFewIterations(4_095)),
        ("1000001", .tooManyIterations(1_000_001)), ("9223372036854775807", .tooManyIterations(.max)),
        ("9223372036854775808", .tooManyIterations(.max)),
        (String(repeating: "9", count: 10_000), .tooManyIterations(.max))
    ])
    func `the iteration count is limited in both directions`(_ count: String, _ error: SASLError) throws {
        var login = try SASLClient.begun()
        #expect(throws: error) { try login.respond("r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=\(count)") }
        #expect("\(error)".utf8.count < 200)
        try isOver(&login)
    }

    @Test func `mandatory extensions are rejected, others ignored`() throws {
        try isBad("m=what,\(Self.good)")
        try isBad("\(Self.good),m=what")
        var login = try SASLClient.begun()
        #expect(try login.respond("\(Self.good),x=y,z=\u{1f44d}=").hasPrefix("c=biws,r=\(nonce)x,p="))
    }

    @Test func `invalid UTF-8 is rejected`() throws {
        for bytes: [UInt8] in [
            [0xff], Array(Self.good.utf8) + [0x2c, 0x78, 0x3d, 0xc3], Array("\(Self.good),x=\0".utf8)
        ] {
            var login = try SASLClient.begun()
            #expect(throws: SASLError.badChallenge("its message isn't text")) { try login.respond(to: bytes) }
            try isOver(&login)
        }
    }

    @Test(arguments: [
        "v=", "v=QQ==", "v=rmF9pqV8S7suAoZWja4dJRkFsKR=", "v=rmF9pqV8S7suAoZWja4dJRkFsK",
        "V=rmF9pqV8S7suAoZWja4dJRkFsKQ=",
        "x=y,v=rmF9pqV8S7suAoZWja4dJRkFsKQ=", "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,m=x", "", "hello", "v",
        "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=,", "v=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=", "v=smF9pqV8S7suAoZWja4dJRkFsKQ=",
        "v=rmF9pqV8S7suAoZWja4dJRkFsKQArmF9"
    ])
    func `success without a valid signature is rejected`(_ final: String) throws {
        var login = try example()
        #expect(throws: SASLError.self) { try login.respond(final) }
        try isOver(&login)
        login = try example()
        #expect(throws: SASLError.self) { try login.finish(Array(final.utf8)) }
        try isOver(&login)
    }

    @Test(arguments: [Mechanism.scramSHA1, .scramSHA256, .scramSHA512])
    func `premature success is rejected`(_ mechanism: Mechanism) throws {
        for data: [UInt8]? in [nil, [], Array("v=rmF9pqV8S7suAoZWja4dJRkFsKQ=".utf8), Array(Self.good.utf8)] {
            var login = try SASLClient(mechanism, pencil, nonce: nonce)
            #expect(throws: SASLError.badChallenge("it reports success, but no login is in progress")) {
                try login.finish(data)
            }
            login = try .begun(mechanism)
            #expect(throws: SASLError.wrongSignature) { try login.finish(data) }
            try isOver(&login)
            login = try .begun(mechanism)
            _ = try login.respond(Self.good)
            #expect(throws: SASLError.self) { try login.finish(data) }
            try isOver(&login)
        }
    }

    @Test func `a valid signature is accepted once`() throws {
        let final = "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="
        var login = try example()
        _ = try login.respond("\(final),x=y")
        var second = login
        #expect(throws: SASLError.self) { try second.respond(final) }
        try isOver(&second)
        second = login
        #expect(throws: SASLError.self) { try second.finish(Array(final.utf8)) }
        second = login
        try second.finish([])
        try isOver(&second)
        login = try example()
        try login.finish(Array(final.utf8))
        try isOver(&login)
    }

    @Test func `the server's error is reported`() throws {
        for final in ["e=invalid-proof", "e=invalid-proof,x=y"] {
            var login = try example()
            #expect(throws: SASLError.serverError("invalid-proof")) { try login.respond(final) }
            try isOver(&login)
            login = try example()
            #expect(throws: SASLError.serverError("invalid-proof")) { try login.finish(Array(final.utf8)) }
            login = try .begun()
            #expect(throws: SASLError.serverError("invalid-proof")) { try login.respond(final) }
        }
    }

    @Test(arguments: ["e=\u{1b}[31m", "e=a b", "e=\(String(repeating: "x", count: 65))", "e=é", "e="])
    func `the server's error is sanitized`(_ final: String) throws {
        var login = try example()
        let error = #expect(throws: SASLError.self) { try login.respond(final) }
        let text = "\(String(describing: error))"
        #expect(!text.contains("\u{1b}") && text.utf8.count < 200)
        guard case .badChallenge = error else {
            Issue.record("\(text)")
            return
        }
    }

    @Test func `PLAIN and EXTERNAL answer no further challenge`() throws {
        for mechanism in [Mechanism.plain, .external] {
            for challenge in ["", "more", Self.good] {
                var login = try SASLClient.begun(mechanism)
                #expect(throws: SASLError.self) { try login.respond(challenge) }
                try isOver(&login)
            }
            var login = try SASLClient(mechanism, pencil, nonce: "")
            #expect(throws: SASLError.self) { try login.respond("more") }
            try isOver(&login)
        }
    }

    @Test func `each error is one line`() {
        let errors: [SASLError] = [
            .unusable("why"), .badChallenge("why"), .wrongSignature, .offerChanged, .serverError("why"),
            .tooManyIterations(5),
            .tooManyIterations(.max), .tooFewIterations(5)
        ]
        #expect(Set(errors.map(\.description)).count == errors.count)
        #expect(errors.allSatisfy { !$0.description.contains("\n") && !$0.description.isEmpty })
    }

    /// The example of RFC 5802, up to the server's signature.
    private func example() throws -> SASLClient {
        var login = try SASLClient.begun()
        _ = try login.respond("r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096")
        return login
    }

    private func isBad(_ challenge: String, at place: SourceLocation = #_sourceLocation) throws {
        for mechanism in [Mechanism.scramSHA1, .scramSHA256, .scramSHA512] {
            var login = try SASLClient.begun(mechanism)
            let error = #expect(throws: SASLError.self, sourceLocation: place) { try login.respond(challenge) }
            guard case .badChallenge = error else {
                Issue.record("\(String(describing: error))", sourceLocation: place)
                continue
            }
            try isOver(&login, at: place)
        }
    }

    private func isOver(_ login: inout SASLClient, at place: SourceLocation = #_sourceLocation) throws {
        #expect(login.begin() == [], sourceLocation: place)
        for challenge in ["", Self.good, "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="] {
            #expect(throws: SASLError.self, sourceLocation: place) { try login.respond(challenge) }
            #expect(throws: SASLError.self, sourceLocation: place) { try login.finish(Array(challenge.utf8)) }
        }
        #expect(throws: SASLError.self, sourceLocation: place) { try login.finish(nil) }
    }
}
