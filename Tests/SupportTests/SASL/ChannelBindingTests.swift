import HeybotSupport
import Testing

@testable import HeybotSASL

/// Logins that are bound to a connection, and offers that are verified.
@Suite struct ChannelBindingTests {
    private let binding = ChannelBinding(.exporter, Array("THIS IS FAKE CB DATA".utf8))
    private let challenge = "r=\(nonce)x,s=QSXCR+Q6sek8bf92,i=4096"

    @Test func `a bound login sends the kind of the binding, and then its value`() throws {
        var login = try SASLClient(.boundSCRAMSHA1, pencil, nonce: nonce, binding: .bound(binding))
        #expect(login.begin() == Array("p=tls-exporter,,n=user,r=\(nonce)".utf8))
        // The header and the value, as in the example of XEP-0474.
        let answer = try login.respond(challenge)
        #expect(answer.hasPrefix("c=cD10bHMtZXhwb3J0ZXIsLFRISVMgSVMgRkFLRSBDQiBEQVRB,r=\(nonce)x,p="))
    }

    @Test func `a login that could be bound says so`() throws {
        var login = try SASLClient(.scramSHA1, pencil, nonce: nonce, binding: .notOffered)
        #expect(login.begin() == Array("y,,n=user,r=\(nonce)".utf8))
        #expect(try login.respond(challenge).hasPrefix("c=eSws,r=\(nonce)x,p="))
    }

    @Test func `only the mechanisms for it are bound`() {
        for (mechanism, use) in [
            (Mechanism.boundSCRAMSHA256, ChannelBindingUse.impossible), (.boundSCRAMSHA512, .notOffered),
            (.scramSHA1, .bound(binding))
        ] {
            #expect(throws: SASLError.self) { try SASLClient(mechanism, pencil, nonce: nonce, binding: use) }
        }
    }

    @Test func `the proof depends on the value of the connection`() throws {
        let answers = try [[1, 2, 3], [1, 2, 4]].map { (value: [UInt8]) -> String? in
            let binding = ChannelBinding(.serverEndPoint, value)
            var login = try SASLClient(.boundSCRAMSHA256, pencil, nonce: nonce, binding: .bound(binding))
            _ = login.begin()
            return try login.respond(challenge).split(separator: ",p=").last.map { String($0) }
        }
        #expect(answers[0] != answers[1])
    }

    // MARK: Offers (XEP-0474)

    @Test func `the hash of an offer doesn't depend on its order`() {
        // The example of XEP-0474.
        let example = Base64.decode(Array("G6k/rBLDqgOhRRaCuuatSDFkJ08=".utf8)[...])
        let offer = SASLOffer(
            mechanisms: ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], bindings: ["tls-server-end-point", "tls-exporter"])
        #expect(offer.digest(.sha1) == example)
        #expect(SASLOffer(mechanisms: offer.mechanisms, bindings: nil).digest(.sha1) != example)
        #expect(SASLOffer(mechanisms: offer.mechanisms, bindings: []).digest(.sha1) != example)
    }

    @Test func `a changed offer ends the login, and one that can't be verified doesn't`() throws {
        let offer = SASLOffer(mechanisms: ["SCRAM-SHA-1"])
        let digest = Base64.encode(offer.digest(.sha1))
        func answer(_ challenge: String, _ offer: SASLOffer?) throws -> String {
            var login = try SASLClient(.scramSHA1, pencil, nonce: nonce, offer: offer)
            _ = login.begin()
            return try login.respond(challenge)
        }
        let good = try answer("\(challenge),h=\(digest)", offer)
        #expect(try answer("\(challenge),h=\(digest)", nil) == good)
        #expect(try answer("\(challenge),x=y,h=\(digest)", offer) != good)
        #expect(try answer(challenge, offer) != good)
        let other = SASLOffer(mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"])
        for wrong in [digest.lowercased(), "\(digest)=", "x", Base64.encode(other.digest(.sha1))] {
            #expect(throws: SASLError.offerChanged) { try answer("\(challenge),h=\(wrong)", offer) }
        }
    }

    @Test func `no description contains the value`() {
        #expect("\(binding)" == "tls-exporter")
    }
}
