/// The attributes of an element: values by name.
///
/// There are few of them, and so one after the other is looked at. What Unicode holds to be the same name is one name.
package struct Attributes: Hashable, Sendable {
    /// One of them.
    package struct Attribute: Sendable {
        /// Its name: `type`.
        package let name: String
        /// Its value, unescaped.
        package internal(set) var value: String
    }

    /// Their names are in normalization form C.
    private var all: [Attribute] = []

    /// None, with room for that many.
    init(capacity: Int) {
        if capacity > 0 { all.reserveCapacity(capacity) }
    }

    /// Puts one behind the others, none of which has its name; that is in normalization form C.
    mutating func append(_ name: String, _ value: String) {
        all.append(Attribute(name: name, value: value))
    }

    /// All in the order of their names.
    package var sorted: [Attribute] { all.count < 2 ? all : all.sorted { $0.name < $1.name } }

    /// Whether there is none.
    package var isEmpty: Bool { all.isEmpty }

    /// The value of an attribute; nil if there is none of that name, and so it is taken away.
    package subscript(name: String) -> String? {
        get { index(of: name).map { all[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): all[index].value = value
            case (let index?, nil): all.remove(at: index)
            case (nil, let value?): append(Self.isASCII(name) ? name : Normalization.nfc(name), value)
            case (nil, nil): break
            }
        }
    }

    private func index(of name: String) -> Int? {
        for index in all.indices where all[index].name.isWritten(like: name) { return index }
        if Self.isASCII(name) { return nil }
        let name = Normalization.nfc(name)
        return all.firstIndex { $0.name.isWritten(like: name) }
    }

    private static func isASCII(_ name: String) -> Bool { name.utf8.allSatisfy { $0 < 0x80 } }

    /// The order they are in means nothing.
    package static func == (one: Attributes, other: Attributes) -> Bool {
        one.all.count == other.all.count && one.all.allSatisfy { other[$0.name] == $0.value }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(all.reduce(all.count) { $0 ^ $1.value.hashValue })
    }
}

extension Attributes: ExpressibleByDictionaryLiteral {
    /// Makes them of names and values; of two with the same name the last counts.
    package init(dictionaryLiteral attributes: (String, String)...) {
        self.init(capacity: attributes.count)
        for (name, value) in attributes { self[name] = value }
    }
}
