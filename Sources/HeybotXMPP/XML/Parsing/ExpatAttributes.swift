import CExpat

/// Reads attributes as Expat passes them: alternating names and values, and nil at the end.
enum ExpatAttributes {
    typealias Pairs = UnsafeMutablePointer<UnsafePointer<XML_Char>?>

    private static let lang = "http://www.w3.org/XML/1998/namespace\u{1}lang"
    /// In bytes; longer addresses are rare and would fill the memory.
    private static let longestAddress = 256

    static func count(_ pairs: Pairs) -> Int {
        var index = 0
        while pairs[index] != nil { index += 2 }
        return index / 2
    }

    /// Returns the attributes without a namespace, and `xml:lang`; nil if a name is too long.
    static func values(_ pairs: Pairs, _ count: Int, longestName: Int, _ names: inout XMLNameCache) -> Attributes? {
        var values = Attributes(capacity: count)
        // Expat refuses duplicate names, but not those that are only canonically equivalent.
        var mayRepeat = false
        for index in 0..<count {
            guard let name = pairs[2 * index], let value = pairs[2 * index + 1] else { break }
            let bytes = bytes(name)
            if bytes.count > longestName { return nil }
            let index = names.index(of: bytes)
            if names[index].namespace.isEmpty {
                let local = names[index].local
                mayRepeat = mayRepeat || !names[index].isASCII
                let value = text(value, isAddress: names[index].isOfAddresses, &names)
                if mayRepeat { values[local] = value } else { values.append(local, value) }
            } else if names[index].written == lang {
                values.append("xml:lang", text(value, isAddress: false, &names))
            }
        }
        return values
    }

    private static func text(_ value: UnsafePointer<XML_Char>, isAddress: Bool, _ names: inout XMLNameCache) -> String {
        let bytes = bytes(value)
        guard isAddress, bytes.count <= longestAddress else { return String(decoding: bytes, as: UTF8.self) }
        let index = names.index(of: bytes)
        return names[index].written
    }

    static func bytes(_ text: UnsafePointer<XML_Char>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: Int(heybot_expat_length(text)))
    }
}
