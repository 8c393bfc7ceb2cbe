extension Element: CustomStringConvertible {
    /// Its XML as it stands in a stream of `jabber:client`.
    package var description: String { xml(inside: Namespace.client) }

    /// Its XML, for a place where that is the default namespace.
    package func xml(inside namespace: String) -> String {
        var bytes: [UInt8] = []
        write(into: &bytes, inside: namespace)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends its XML in UTF-8, for a place where that is the default namespace.
    ///
    /// A namespace is declared if it isn't that of the element around. Characters that XML can't carry are left out,
    /// as are elements and attributes whose names are no names in XML: nothing in the texts, values or names can break
    /// out of its place. The attributes are in the order of their names.
    package func write(into bytes: inout [UInt8], inside namespace: String) {
        guard Self.isName(name) else { return }
        bytes.append(UInt8(ascii: "<"))
        Escaping.write(plain: name, to: &bytes)
        if self.namespace != namespace { Self.write("xmlns", self.namespace, to: &bytes) }
        for attribute in attributes.sorted { Self.writeAttribute(attribute.name, attribute.value, to: &bytes) }
        guard !children.isEmpty else {
            Escaping.write(plain: "/>", to: &bytes)
            return
        }
        bytes.append(UInt8(ascii: ">"))
        for child in children {
            switch child {
            case .element(let element): element.write(into: &bytes, inside: self.namespace)
            case .text(let text): Escaping.write(text: text, to: &bytes)
            }
        }
        Escaping.write(plain: "</", to: &bytes)
        Escaping.write(plain: name, to: &bytes)
        bytes.append(UInt8(ascii: ">"))
    }

    private static func writeAttribute(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        guard name == "xml:lang" || isName(name) && name != "xmlns" else { return }
        write(name, value, to: &bytes)
    }

    static func write(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: " "))
        Escaping.write(plain: name, to: &bytes)
        Escaping.write(plain: "='", to: &bytes)
        Escaping.write(value: value, to: &bytes)
        bytes.append(UInt8(ascii: "'"))
    }

    /// Whether it is a name without a prefix; beyond ASCII all counts as letters.
    private static func isName(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                0x80...:
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if isFirst { return false }
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }
}
