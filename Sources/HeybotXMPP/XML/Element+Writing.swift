extension Element: CustomStringConvertible {
    /// The XML of the element in a stream of `jabber:client`.
    package var description: String { xml(inside: Namespace.client) }

    /// Returns the XML of the element in the scope of a default namespace.
    package func xml(inside namespace: String) -> String {
        var bytes: [UInt8] = []
        write(into: &bytes, inside: namespace)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the XML of the element, in UTF-8, in the scope of a default namespace.
    ///
    /// A namespace is declared if it differs from the enclosing one. Characters that XML doesn't allow are omitted, as are
    /// elements and attributes with invalid names, so no text, value or name can inject XML. Attributes are written in the
    /// order of their names.
    package func write(into bytes: inout [UInt8], inside namespace: String) {
        guard Self.isName(name) else { return }
        bytes.append(UInt8(ascii: "<"))
        XMLEscaping.write(plain: name, to: &bytes)
        if self.namespace != namespace { Self.write("xmlns", self.namespace, to: &bytes) }
        for attribute in attributes.sorted { Self.writeAttribute(attribute.name, attribute.value, to: &bytes) }
        guard !children.isEmpty else {
            XMLEscaping.write(plain: "/>", to: &bytes)
            return
        }
        bytes.append(UInt8(ascii: ">"))
        for child in children {
            switch child {
            case .element(let element): element.write(into: &bytes, inside: self.namespace)
            case .text(let text): XMLEscaping.write(text: text, to: &bytes)
            }
        }
        XMLEscaping.write(plain: "</", to: &bytes)
        XMLEscaping.write(plain: name, to: &bytes)
        bytes.append(UInt8(ascii: ">"))
    }

    private static func writeAttribute(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        guard name == "xml:lang" || isName(name) && name != "xmlns" else { return }
        write(name, value, to: &bytes)
    }

    static func write(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: " "))
        XMLEscaping.write(plain: name, to: &bytes)
        XMLEscaping.write(plain: "='", to: &bytes)
        XMLEscaping.write(value: value, to: &bytes)
        bytes.append(UInt8(ascii: "'"))
    }

    /// Whether a name is valid without a prefix; characters beyond ASCII count as letters.
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
