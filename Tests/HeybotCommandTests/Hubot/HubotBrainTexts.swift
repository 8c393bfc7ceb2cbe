import Foundation
import Heybot
import HeybotTesting

@testable import HeybotCommand

/// An entry's place and value, compared by bytes.
struct HubotEntry: Hashable, CustomStringConvertible {
    let collection: [UInt8]?
    let name: [UInt8]
    let value: [UInt8]

    init(_ key: StoreKey, _ value: [UInt8]) {
        collection = key.collection.map { Array($0.utf8) }
        name = Array(key.name.utf8)
        self.value = value
    }

    init(_ collection: String, _ name: String, _ value: String) {
        self.init(StoreKey(collection: collection, name: name), Array(value.utf8))
    }

    init(_ name: String, _ value: String) {
        self.init(StoreKey(name: name), Array(value.utf8))
    }

    var key: StoreKey {
        StoreKey(
            collection: collection.map { String(decoding: $0, as: UTF8.self) },
            name: String(decoding: name, as: UTF8.self))
    }

    var description: String { "\(key) = \(String(decoding: value, as: UTF8.self))" }
}

/// Reads all chunks, and returns the entries before the first error, and the error.
func readHubotBrain(_ pieces: [[UInt8]]) -> (entries: [HubotEntry], error: HubotBrainReaderError?) {
    var reader = HubotBrainReader()
    var entries: [HubotEntry] = []
    do throws(HubotBrainReaderError) {
        for piece in pieces {
            for entry in try reader.read(piece) { entries.append(HubotEntry(entry.key, entry.value)) }
        }
        try reader.finish()
        return (entries, nil)
    } catch {
        return (entries, error)
    }
}

func readHubotBrain(_ text: String) -> (entries: [HubotEntry], error: HubotBrainReaderError?) {
    readHubotBrain([Array(text.utf8)])
}

/// Imports the chunks of a text.
func importHubotBrain(_ pieces: [[UInt8]], into store: any Store) async throws -> Int {
    var rest = pieces[...]
    return try await HubotBrainImport.run(from: { rest.popFirst() }, into: store).count
}

func importHubotBrain(_ text: String, into store: any Store) async throws -> Int {
    try await importHubotBrain([Array(text.utf8)], into: store)
}

/// Returns the export of a store.
func exportHubotBrain(_ store: any Store) async throws -> [UInt8] {
    var text: [UInt8] = []
    try await HubotBrainJSONWriter.write(store) { text += $0 }
    return text
}

/// Returns all entries of a store.
func entries(of store: any Store) async throws -> Set<HubotEntry> {
    var all: Set<HubotEntry> = []
    try await store.eachEntry(of: nil) { all.insert(HubotEntry(StoreKey(name: $0), $1)) }
    try await store.eachCollection { collection in
        try await store.eachEntry(of: collection) {
            all.insert(HubotEntry(StoreKey(collection: collection, name: $0), $1))
        }
    }
    return all
}

/// Returns an open store with the entries.
func memoryStore(_ entries: [HubotEntry] = []) async throws -> MemoryStore {
    let store = MemoryStore()
    try await store.open()
    for entry in entries { try await store.set(entry.value, for: entry.key) }
    return store
}

/// Returns the JSON with sorted members, so that equal values have equal bytes.
func canonical(json: [UInt8]) throws -> Data {
    try canonical(JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed))
}

func canonical(_ value: Any) throws -> Data {
    try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
}

extension SeededGenerator {
    /// Splits the bytes into chunks of random sizes, some of them empty.
    mutating func pieces(_ text: [UInt8]) -> [[UInt8]] {
        let longest = [1, 3, 20, text.count + 1].randomElement(using: &self) ?? 1
        var pieces: [[UInt8]] = []
        var rest = text[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...longest, using: &self))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    /// Returns a random Hubot brain without duplicate names, with random whitespace.
    mutating func hubotBrain() -> String {
        var members: [String] = []
        if Int.random(in: 0..<5, using: &self) > 0 { members.append("\"users\":" + users()) }
        if Int.random(in: 0..<5, using: &self) > 0 { members.append("\"_private\":" + object(depth: 2)) }
        for name in names(Int.random(in: 0..<3, using: &self)) where name != "\"users\"" {
            members.append("\(name):\(value(depth: 2))")
        }
        return space() + "{" + members.shuffled(using: &self).joined(separator: space() + ",") + "}" + space()
    }

    private mutating func users() -> String {
        let users = (0..<Int.random(in: 0..<4, using: &self)).map { id in
            "\(space())\"\(id)\"\(space()):{\"id\":\"\(id)\",\"name\":\(jsonText()),\"room\":\(value(depth: 1))}\(space())"
        }
        return "{" + users.joined(separator: ",") + "}"
    }

    private mutating func value(depth: Int) -> String {
        let value =
            switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &self) {
            case 0: jsonText()
            case 1: ["0", "-1", "2.5", "1e3", "-0.25E-2", "12345678"].randomElement(using: &self) ?? "0"
            case 2: ["true", "false", "null"].randomElement(using: &self) ?? "null"
            case 3: ["{}", "{ }", "[]"].randomElement(using: &self) ?? "{}"
            case 4: jsonText()
            case 5: "[" + (0..<3).map { _ in self.value(depth: depth - 1) }.joined(separator: ",") + "]"
            default: object(depth: depth - 1)
            }
        return space() + value + space()
    }

    private mutating func object(depth: Int) -> String {
        let members = names(Int.random(in: 0..<5, using: &self)).map {
            "\(space())\($0)\(space()):\(value(depth: depth))"
        }
        return "{" + members.joined(separator: ",") + space() + "}"
    }

    private mutating func jsonText() -> String {
        let texts = [
            #""""#, #""Be kind""#, #""é\u00e9\ud83d\udc4d👍""#, #""\"\\\/\b\f\n\r\t""#, "\"\u{2028}\u{7f}\"",
            "\"{}[]:,\""
        ]
        return texts.randomElement(using: &self) ?? ""
    }

    private mutating func names(_ count: Int) -> [String] {
        let names = [
            #""users""#, #""data.karma""#, #""data.users""#, #""_private.motto""#, #""_private.users""#, #""motto""#,
            #""""#,
            #""\u0041\ud83d\udc4d""#, #""a\"b\\c\nd""#, "\"日本\"", #""totals""#, #""__proto__""#, #""data""#, #""data.""#
        ]
        return Array(names.shuffled(using: &self).prefix(count))
    }

    private mutating func space() -> String {
        [" ", "\n", "\r\n\t"].randomElement(using: &self).flatMap {
            Int.random(in: 0..<6, using: &self) == 0 ? $0 : nil
        }
            ?? ""
    }
}
