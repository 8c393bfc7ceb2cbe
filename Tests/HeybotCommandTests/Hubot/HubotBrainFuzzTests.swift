import Foundation
import Heybot
import HeybotTesting
import Testing

@testable import HeybotCommand

/// Tests that the parser agrees with Foundation's on random input.
///
/// Known differences are skipped: Foundation accepts byte order marks, other encodings of Unicode, and trailing commas;
/// it rejects escaped lone surrogates, which are valid JSON; and it returns one of two members with the same name,
/// this parser both.
@Suite struct HubotBrainFuzzTests {
    private static let words = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "\\udc4d", "\\u00e9", "é", "👍", "\u{feff}", "\n",
        "\0",
        "true", "nul", "-", "0", "1", ".", "e", "E+", "\"users\":", "\"_private\":{", "{\"a\":", "[]", "{}", "\"x\":1,",
        "/"
    ].map { Array($0.utf8) }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `mutated brains are parsed like Foundation`(_ seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var (accepted, refused) = (0, 0)
        for round in 0..<1_500 {
            let good = Array(dice.hubotBrain().utf8)
            let text = round.isMultiple(of: 8) ? good : Self.mutated(good, &dice)
            let (entries, error) = readHubotBrain(dice.pieces(text))
            let (whole, wholeError) = readHubotBrain([text])
            #expect(entries == whole)
            #expect(error == wholeError)
            let line = error.map { "\($0)" } ?? ""
            #expect(line.utf8.count < 1_000 && !line.contains(where: \.isNewline))
            guard Self.isForBoth(text) else { continue }
            let expected = Self.read(text)
            #expect(
                (error == nil) == (expected != nil),
                "\(String(decoding: text, as: UTF8.self).debugDescription): \(line)")
            if let expected, error == nil {
                accepted += 1
                let found = try Dictionary(
                    entries.map { ($0.key, try canonical(json: $0.value)) }, uniquingKeysWith: { _, later in later })
                #expect(found == expected, "\(String(decoding: text, as: UTF8.self).debugDescription)")
            } else {
                refused += 1
            }
        }
        #expect(accepted > 300 && refused > 300)
    }

    @Test(arguments: [5, 6] as [UInt64])
    func `arbitrary bytes are handled`(_ seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<3_000 {
            var text = Array(#"{"_private":{"#.utf8.prefix(Int.random(in: 0...13, using: &dice)))
            for _ in 0..<Int.random(in: 0..<40, using: &dice) {
                text +=
                    Bool.random(using: &dice)
                    ? Self.words.randomElement(using: &dice) ?? [] : [UInt8(truncatingIfNeeded: dice.next())]
            }
            let (entries, error) = readHubotBrain(dice.pieces(text))
            for entry in entries { #expect(JSONScanner.syntaxError(in: entry.value) == nil) }
            if let error { #expect((0...text.count).contains(error.offset)) }
        }
    }

    private static func mutated(_ bytes: [UInt8], _ dice: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<3, using: &dice) {
            let place = Int.random(in: 0...bytes.count, using: &dice)
            let end = Int.random(in: place...min(bytes.count, place + 12), using: &dice)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
            case 1: if place < bytes.count { bytes.remove(at: place) }
            case 2: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            case 3: bytes.insert(contentsOf: words.randomElement(using: &dice) ?? [], at: place)
            case 4: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &dice))
            default: bytes.removeSubrange(place..<end)
            }
        }
        return bytes
    }

    /// Whether Foundation's result is the same.
    private static func isForBoth(_ text: [UInt8]) -> Bool {
        !text.contains(0) && ![[0xef, 0xbb, 0xbf], [0xfe, 0xff], [0xff, 0xfe]].contains { text.starts(with: $0) }
            && !hasLoneSurrogate(text) && !hasCommaAtEnd(text) && !hasRepeatedName(text)
    }

    private static func hasLoneSurrogate(_ text: [UInt8]) -> Bool {
        let text = String(decoding: text, as: UTF8.self).lowercased()
        guard text.contains("\\ud") else { return false }
        return text.replacing(#"\\"#, with: "").replacing(#/\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}/#, with: "")
            .contains(#/\\ud[89a-f]/#)
    }

    private static func hasCommaAtEnd(_ text: [UInt8]) -> Bool {
        var isAfterComma = false
        for byte in outsideTexts(text) where !" \t\r\n".utf8.contains(byte) {
            if isAfterComma, "]}".utf8.contains(byte) { return true }
            isAfterComma = byte == UInt8(ascii: ",")
        }
        return false
    }

    /// Whether an object may have duplicate members: then there are more colons than members in Foundation's result.
    private static func hasRepeatedName(_ text: [UInt8]) -> Bool {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) else {
            return false
        }
        return outsideTexts(text).count { $0 == UInt8(ascii: ":") } != members(value)
    }

    /// The JSON with all strings emptied.
    private static func outsideTexts(_ text: [UInt8]) -> [UInt8] {
        var outside: [UInt8] = []
        var (isInside, isEscaped) = (false, false)
        for byte in text {
            if isEscaped {
                isEscaped = false
            } else if isInside, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInside.toggle()
                outside.append(byte)
            } else if !isInside {
                outside.append(byte)
            }
        }
        return outside
    }

    private static func members(_ value: Any) -> Int {
        switch value {
        case let object as [String: Any]: object.values.reduce(object.count) { $0 + members($1) }
        case let array as [Any]: array.reduce(0) { $0 + members($1) }
        default: 0
        }
    }

    /// The entries as parsed by Foundation, or nil if the text isn't a Hubot brain.
    private static func read(_ text: [UInt8]) -> [StoreKey: Data]? {
        guard let brain = try? JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else { return nil }
        var entries: [StoreKey: Data] = [:]
        func add(_ name: String, _ value: Any) {
            if let object = value as? [String: Any], !object.isEmpty {
                for (key, value) in object { entries[StoreKey(collection: name, name: key)] = try? canonical(value) }
            } else {
                entries[StoreKey(name: name)] = try? canonical(value)
            }
        }
        for (member, value) in brain {
            switch member {
            case "users":
                guard let users = value as? [String: Any] else { return nil }
                for (id, user) in users { entries[StoreKey(collection: "users", name: id)] = try? canonical(user) }
            case "_private":
                guard let members = value as? [String: Any] else { return nil }
                for (member, value) in members {
                    let isTaken =
                        member == "users" || ["data.", "_private."].contains { member.utf8.starts(with: $0.utf8) }
                    add(isTaken ? "_private.\(member)" : member, value)
                }
            default: add("data.\(member)", value)
            }
        }
        return entries
    }
}
