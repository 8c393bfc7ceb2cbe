extension Feed {
    /// Returns the encoding that an XML document declares at its beginning, in lower case; nil if it declares none.
    ///
    /// It counts if neither a byte order mark nor the Content-Type names another one (RFC 7303 section 3).
    package static func declaredEncoding(_ document: [UInt8]) -> String? {
        let beginning = document.prefix(300).drop(while: FeedBytes.isSpace)
        guard beginning.starts(with: "<?xml".utf8), let end = beginning.firstRange(of: Array("?>".utf8)) else {
            return nil
        }
        let declaration = String(decoding: beginning[..<end.lowerBound], as: UTF8.self)
        let pattern = /\sencoding\s*=\s*["'](?<name>[A-Za-z0-9._-]{1,40})["']/
        let name = declaration.firstMatch(of: pattern).map { $0.name.lowercased() }
        // The declaration itself has one byte per character, so UTF-16 is wrong; some servers convert only the text.
        return name?.hasPrefix("utf-16") == true ? nil : name
    }
}
