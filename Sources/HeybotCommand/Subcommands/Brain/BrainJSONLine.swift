import FoundationEssentials
import Heybot
import HeybotSupport

/// One entry of a brain as a line of JSON: `{"name":"motto","value":"Be kind"}` for a value on its own,
/// `{"collection":"scores","key":"swift","value":2}` for one in a collection.
///
/// A value that isn't JSON is written as `"base64"` instead. Robots store only JSON.
struct BrainJSONLine: Equatable {
    let key: StoreKey
    let value: [UInt8]

    init(key: StoreKey, value: [UInt8]) {
        self.key = key
        self.value = value
    }

    /// Parses a line.
    ///
    /// The value keeps its exact bytes.
    init(line: [UInt8]) throws(BrainJSONLineError) {
        struct Fields: Decodable {
            let name, collection, key, base64: String?
        }
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(line)) else { throw .notARecord }
        switch (fields.name, fields.collection, fields.key) {
        case (let name?, nil, nil): key = StoreKey(name: name)
        case (nil, let collection?, let name?): key = StoreKey(collection: collection, name: name)
        default: throw .notARecord
        }
        let outline = JSONSourceMap(line)
        guard outline.problem == nil, !outline.repeated.contains(where: { $0.depth == 0 }) else { throw .notARecord }
        switch (outline.members.first { $0.depth == 0 && $0.key == "value" }, fields.base64) {
        case (let member?, nil): value = Array(line[member.value])
        case (nil, let text?):
            guard let data = Data(base64Encoded: text) else { throw .notARecord }
            value = Array(data)
        default: throw .notARecord
        }
        guard value.count <= BrainLimits.valueBytes else { throw .tooLong }
    }

    /// The line, without its line break.
    var line: [UInt8] {
        let place =
            key.collection.map { "\"collection\":\(Self.string($0)),\"key\":\(Self.string(key.name))" }
            ?? "\"name\":\(Self.string(key.name))"
        if Self.isJSON(value) {
            // In JSON a line break is only whitespace between tokens.
            let value = value.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
            return Array("{\(place),\"value\":".utf8) + value + Array("}".utf8)
        }
        return Array("{\(place),\"base64\":\"\(Data(value).base64EncodedString())\"}".utf8)
    }

    /// Whether the bytes are JSON in UTF-8.
    ///
    /// The decoder alone would accept UTF-16 and byte order marks too.
    static func isJSON(_ bytes: [UInt8]) -> Bool {
        guard !bytes.starts(with: [0xef, 0xbb, 0xbf]), !bytes.contains(0),
            String(validating: bytes, as: UTF8.self) != nil
        else { return false }
        return (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) != nil
    }

    private static func string(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

/// The reason why a line isn't an entry.
enum BrainJSONLineError: Error, CustomStringConvertible {
    case notARecord
    case tooLong

    var description: String {
        switch self {
        case .notARecord:
            #"expected {"name":…,"value":…} or {"collection":…,"key":…,"value":…} (use --hubot for Hubot's brain)"#
        case .tooLong:
            "its value exceeds the limit of \(BrainLimits.valueBytes) bytes"
        }
    }
}
