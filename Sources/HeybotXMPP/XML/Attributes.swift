/// The attributes of an element.
///
/// They are few, so they are searched in order. Names that are canonically equivalent in Unicode are the same name.
package struct Attributes: Hashable, Sendable {
    /// An attribute.
    package struct Attribute: Sendable {
        /// The name, such as `type`.
        package let name: String
        /// The value, unescaped.
        package internal(set) var value: String
    }

    /// The names are in normalization form C.
    private var all: [Attribute] = []

    /// Creates an empty list with room for a number of attributes.
    init(capacity: Int) {
        if capacity > 0 { all.reserveCapacity(capacity) }
    }

    /// Appends an attribute whose name isn't in the list yet and is in normalization form C.
    mutating func append(_ name: String, _ value: String) {
        all.append(Attribute(name: name, value: value))
    }

    /// The attributes in the order of their names.
    package var sorted: [Attribute] { all.count < 2 ? all : all.sorted { $0.name < $1.name } }

    /// Whether there are no attributes.
    package var isEmpty: Bool { all.isEmpty }

    /// The value of an attribute; nil if there is none.
    ///
    /// Setting nil removes the attribute.
    package subscript(name: String) -> String? {
        get { index(of: name).map { all[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): all[index].value = value
            case (let index?, nil): all.remove(at: index)
            case (nil, let value?): append(Self.isASCII(name) ? name : UnicodeNormalization.nfc(name), value)
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        for index in all.indices where all[index].name.hasSameBytes(as: name) { return index }
        if Self.isASCII(name) { return nil }
        let name = UnicodeNormalization.nfc(name)
        return all.firstIndex { $0.name.hasSameBytes(as: name) }
    }

    private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }

    /// Compares without regard to the order.
    package static func == (one: Attributes, other: Attributes) -> Bool {
        one.all.count == other.all.count && one.all.allSatisfy { other[$0.name] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(all.reduce(all.count) { $0 ^ $1.value.hashValue })
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Creates attributes from names and values; the last value of a name counts.
    package init(dictionaryLiteral attributes: (String, String)...) {
        self.init(capacity: attributes.count)
        for (name, value) in attributes { self[name] = value }
    }
}
