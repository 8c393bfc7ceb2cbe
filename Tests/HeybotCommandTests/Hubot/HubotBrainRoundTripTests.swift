import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import HeybotCommand

/// Tests that a brain is unchanged after an import and an export.
@Suite struct HubotBrainRoundTripTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `a brain survives a round trip`(_ seed: UInt64) async throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let text = Array(dice.hubotBrain().utf8)
            let store = try await memoryStore()
            let (read, error) = readHubotBrain([text])
            #expect(error == nil)
            #expect(try await importHubotBrain(dice.pieces(text), into: store) == read.count)
            #expect(try await entries(of: store) == Set(read))

            let exported = try await exportHubotBrain(store)
            #expect(Set(readHubotBrain(dice.pieces(exported)).entries) == Set(read))

            let before = try #require(JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
            let always: [String: Any] = ["users": [String: Any](), "_private": [String: Any]()]
            #expect(
                try canonical(json: exported) == canonical(before.merging(always) { member, _ in member }),
                "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test func `Hubot's values survive a round trip to the byte`() async throws {
        let text =
            #"{"users":{"1":{"id":"1","name":"Shell","room":"Shell"},"U2":{"id":"U2","name":"Zoë","roles":["admin"]}},"#
            + #""_private":{"motto":"Be kind","nothing":{},"scores":{"javascript":-1,"swift":2}},"#
            + #""list":[1,2],"karma":{"ada":[{"at":1.5e3}]}}"#
        let store = try await memoryStore()
        #expect(try await importHubotBrain(text, into: store) == 8)
        #expect(String(decoding: try await exportHubotBrain(store), as: UTF8.self) == text)
    }
}
