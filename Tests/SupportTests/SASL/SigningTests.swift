import Foundation
import HeybotSASL
import HeybotSupport
import TestServers
import Testing

/// Logins by a signature (ECDSA-NIST256P-CHALLENGE), and the keys for them.
@Suite(.timeLimit(.minutes(15))) struct SigningTests {
    private static let challenge = (0..<32).map { UInt8($0) }
    private static let newKey = ["ecparam", "-genkey", "-name", "prime256v1", "-noout"]

    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    /// Runs `openssl`, and returns the content of the file that it writes.
    private func openssl(_ words: [String], to name: String = "key.pem") async throws -> [UInt8] {
        try await ChildProcess.run(["openssl"] + words + ["-out", folder.path(name)], in: folder)
        return Array(folder.read(name).utf8)
    }

    private func makeLogin(_ pem: [UInt8], account: String = "marvin") throws -> SASLClient {
        let signer = SigningCredentials(account: account, key: try SigningKey(pem: pem))
        return try SASLClient(.ecdsaChallenge, nil, signer: signer, nonce: "")
    }

    @Test(arguments: [
        SigningTests.newKey, ["ecparam", "-genkey", "-name", "prime256v1"],
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    ])
    func `the account is sent, and the challenge signed, with a key in each format`(_ words: [String]) async throws {
        var login = try makeLogin(try await openssl(words))
        #expect(login.begin() == Array("marvin".utf8))
        let signature = try login.respond(to: Self.challenge)
        try Data(Self.challenge).write(to: URL(filePath: folder.path("challenge")))
        try Data(signature).write(to: URL(filePath: folder.path("signature")))
        // It fails if the signature is wrong.
        try await ChildProcess.run(
            [
                "openssl", "pkeyutl", "-verify", "-inkey", folder.path("key.pem"), "-in", folder.path("challenge"),
                "-sigfile", folder.path("signature")
            ], in: folder)
        try login.finish(nil)
    }

    @Test func `a challenge that isn't a digest isn't signed, and neither is a second one`() async throws {
        let pem = try await openssl(Self.newKey)
        for challenge in [[], Array(Self.challenge.dropLast()), Self.challenge + [0]] {
            var login = try makeLogin(pem)
            _ = login.begin()
            #expect(throws: SASLError.self) { try login.respond(to: challenge) }
        }
        var login = try makeLogin(pem)
        _ = login.begin()
        _ = try login.respond(to: Self.challenge)
        #expect(throws: SASLError.self) { try login.respond(to: Self.challenge) }
    }

    @Test func `an account and a key are needed`() async throws {
        let pem = try await openssl(Self.newKey)
        for account in ["", "mar\0vin"] {
            #expect(throws: SASLError.self) { try makeLogin(pem, account: account) }
        }
        let password = Credentials(account: "marvin", password: "pencil")
        #expect(throws: SASLError.self) { try SASLClient(.ecdsaChallenge, password, nonce: "") }
    }

    @Test func `each kind of unusable key gives its own error`() async throws {
        func error(_ words: [String]) async throws -> SigningKeyError? {
            let pem = try await openssl(words)
            return #expect(throws: SigningKeyError.self) { try SigningKey(pem: pem) }
        }
        let p384 = try await error(["ecparam", "-genkey", "-name", "secp384r1", "-noout"])
        #expect(p384 == .otherKind("secp384r1"))
        let ed25519 = try await error(["genpkey", "-algorithm", "ED25519"])
        #expect(ed25519 == .otherKind(nil))
        let encrypted = try await error([
            "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-aes256", "-pass", "pass:pencil"
        ])
        #expect(encrypted == .encrypted)
        _ = try await openssl(Self.newKey)
        let publicKey = try await openssl(["pkey", "-in", folder.path("key.pem"), "-pubout"], to: "public.pem")
        let broken = "-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----\n"
        for bytes in [publicKey, [], Array(broken.utf8)] {
            #expect(throws: SigningKeyError.unreadable) { try SigningKey(pem: bytes) }
        }
    }

    @Test func `no description contains the key`() async throws {
        let pem = try await openssl(Self.newKey)
        let signer = SigningCredentials(account: "marvin", key: try SigningKey(pem: pem))
        var texts = ["\(signer)", String(reflecting: signer), "\(signer.key)", String(reflecting: signer.key)]
        var login = try makeLogin(pem)
        for _ in 0..<2 {
            texts += ["\(login)", String(reflecting: login)]
            for value in [signer, signer.key, login] as [Any] {
                var text = ""
                dump(value, to: &text)
                texts.append(text)
            }
            _ = login.begin()
        }
        let line = try #require(String(decoding: pem, as: UTF8.self).split(separator: "\n").dropFirst().first)
        let bytes = pem.prefix(3).map { "\($0)" }
        #expect(!texts.contains { $0.contains(line) || $0.contains(bytes.joined(separator: ", ")) })
    }
}
