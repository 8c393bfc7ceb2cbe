import CExpat

/// The attributes of an element as expat gives them: names and values by turns, and nil at the end.
enum Attributes {
    typealias Pairs = UnsafeMutablePointer<UnsafePointer<XML_Char>?>

    private static let lang = Array("http://www.w3.org/XML/1998/namespace\u{1}lang".utf8)

    static func count(_ pairs: Pairs) -> Int {
        var index = 0
        while pairs[index] != nil { index += 2 }
        return index / 2
    }

    /// The values of those that have no namespace, and of `xml:lang`; nil where a name is too long.
    static func values(
        _ pairs: Pairs, _ count: Int, longestName: Int, _ names: inout NameCache
    ) -> [String: String]? {
        if count == 0 { return [:] }
        var values = [String: String](minimumCapacity: count)
        for index in 0..<count {
            guard let name = pairs[2 * index], let value = pairs[2 * index + 1] else { break }
            let bytes = bytes(name)
            if bytes.count > longestName { return nil }
            if !bytes.contains(UInt8(bitPattern: Expat.separator)) {
                values[names.name(bytes)] = String(decoding: Self.bytes(value), as: UTF8.self)
            } else if bytes.elementsEqual(lang) {
                values["xml:lang"] = String(decoding: Self.bytes(value), as: UTF8.self)
            }
        }
        return values
    }

    static func bytes(_ text: UnsafePointer<XML_Char>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: Int(heybot_expat_length(text)))
    }
}
