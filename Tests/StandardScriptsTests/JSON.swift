import FoundationEssentials

/// A JSON value that tests write down, change and send.
indirect enum JSON: Encodable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case array([JSON])
    case object([String: JSON])

    /// The value at a path of keys; setting nil removes it.
    subscript(path: String...) -> JSON? {
        get { self[path[...]] }
        set { self[path[...]] = newValue }
    }

    private subscript(path: ArraySlice<String>) -> JSON? {
        get {
            guard let key = path.first else { return self }
            guard case .object(let members) = self else { return nil }
            return members[key]?[path.dropFirst()]
        }
        set {
            guard let key = path.first else {
                self = newValue ?? .null
                return
            }
            guard case .object(var members) = self else { return }
            if path.count == 1 {
                members[key] = newValue
            } else {
                members[key]?[path.dropFirst()] = newValue
            }
            self = .object(members)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// As it is sent, its keys sorted.
    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return Array(try encoder.encode(self))
        }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    init(nilLiteral: ()) { self = .null }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}
