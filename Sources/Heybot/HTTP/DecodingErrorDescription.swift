import FoundationEssentials

/// The description of a decoding error: what is wrong and where, without any of the JSON's values, which may be secret.
struct DecodingErrorDescription: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
            case .valueNotFound(_, let context): "\(Self.place(context.codingPath)) is null"
            case .typeMismatch(let type, let context): "\(Self.place(context.codingPath)) isn't \(Self.name(type))"
            case .dataCorrupted(let context) where !context.codingPath.isEmpty:
                "\(Self.place(context.codingPath)) can't be read"
            default: "it isn't valid JSON"
            }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        let keys = path.map { key in
            if let index = key.intValue { return "[\(index)]" }
            // Only keys that the type defines are shown; those of a dictionary come from the JSON.
            return Mirror(reflecting: key).displayStyle == .enum ? ".\(key.stringValue)" : ".…"
        }.joined()
        return keys.isEmpty ? "it" : keys.hasPrefix(".") ? String(keys.dropFirst()) : keys
    }

    private static func name(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any ExpressibleByArrayLiteral.Type: "an array"
        default: "an object"
        }
    }
}
