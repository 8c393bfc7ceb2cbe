import FoundationEssentials

/// The encoding of the brain's values: JSON in UTF-8.
enum BrainCoder {
    static func decode<Value: Decodable>(_ bytes: [UInt8], _ key: StoreKey) throws -> Value {
        do {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom(DateCodingStrategy.read)
            return try decoder.decode(Value.self, from: Data(bytes))
        } catch {
            throw BrainCodingError.unreadable(key, expected: "\(Value.self)")
        }
    }

    static func encode<Value: Encodable>(_ value: Value, _ key: StoreKey) throws -> [UInt8] {
        // Sorted keys, so that equal values have equal bytes.
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom(DateCodingStrategy.write)
        guard let data = try? encoder.encode(value) else {
            throw BrainCodingError.unwritable(key, type: "\(Value.self)")
        }
        let value = Array(data)
        try BrainLimits.check(value, for: key)
        return value
    }
}
