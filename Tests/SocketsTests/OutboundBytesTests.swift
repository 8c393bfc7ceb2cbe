import Testing

@testable import HeybotSockets

/// How bytes are split into records of TLS.
@Suite struct OutboundBytesTests {
    /// Returns the lengths of the pieces in which what was added is sent.
    private func pieces(_ lengths: [Int], upTo most: Int = 65_536, isEncrypted: Bool = true) -> [Int] {
        var outgoing = OutboundBytes()
        for length in lengths { outgoing.append([UInt8](repeating: 0x61, count: length)) }
        var pieces: [Int] = []
        while let piece = outgoing.next(upTo: most, isEncrypted: isEncrypted) { pieces.append(piece.readableBytes) }
        return pieces
    }

    @Test func `a record ends where something that was added ends`() {
        #expect(pieces([7_000, 7_000, 7_000, 100]) == [14_000, 7_100])
        #expect(pieces([16_384, 1, 16_383, 1]) == [16_384, 16_384, 1])
        // What is too long for a record shares none with what is before and behind it.
        #expect(pieces([100, 100, 20_000, 100]) == [200, 20_000, 100])
    }

    @Test func `without encryption, bytes are split anywhere`() {
        #expect(pieces([7_000, 7_000, 7_000], isEncrypted: false) == [21_000])
        #expect(pieces([7_000, 7_000, 7_000], upTo: 10_000, isEncrypted: false) == [10_000, 10_000, 1_000])
        #expect(pieces([20_000, 10], upTo: 15_000) == [15_000, 5_000, 10])
    }

    @Test func `bytes that were sent already don't count`() {
        var outgoing = OutboundBytes()
        for length in [10_000, 10_000, 10_000] { outgoing.append([UInt8](repeating: 0x61, count: length)) }
        outgoing.removeFirst(15_000)
        outgoing.append([0x62])
        var pieces: [Int] = []
        while let piece = outgoing.next(upTo: 65_536, isEncrypted: true) { pieces.append(piece.readableBytes) }
        #expect(pieces == [5_000, 10_001])
        outgoing.removeAll()
        #expect(outgoing.count == 0)
    }
}
