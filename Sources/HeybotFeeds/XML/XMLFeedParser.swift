import CExpat

/// Reads feeds in XML with Expat.
///
/// A DTD with declarations is refused, so no entity can expand. External ones are never loaded. Long addresses of namespaces are
/// refused too. So the time and the memory are linear in the length of the document.
final class XMLFeedParser {
    /// Separates a namespace from a name; XML doesn't allow this character.
    private static let separator: XML_Char = 0x01
    private static let deepest = 100
    /// The maximum length of a namespace's address, in bytes; those of feeds are shorter.
    private static let longestNamespace = 200
    /// The maximum length of a name with its namespace, in bytes; the names that matter are shorter.
    private static let longestName = 200
    private static let longestValue = 2_000

    private let expat: XML_Parser?
    private var reader = XMLFeedReader()
    private var failure: FeedError?
    private var depth = 0

    private init() { expat = XML_ParserCreateNS("UTF-8", Self.separator) }

    deinit { XML_ParserFree(expat) }

    /// Reads a document.
    static func feed(in document: String) throws(FeedError) -> Feed {
        let beginning = String(decoding: document.utf8.drop(while: FeedBytes.isSpace).prefix(20), as: UTF8.self)
        // Its DTD may be in lower case, which isn't XML.
        guard !["<!doctype html", "<html"].contains(where: { beginning.lowercased().hasPrefix($0) }) else {
            throw .webPage
        }
        // Some feeds begin with empty lines or have control characters, which XML doesn't allow.
        let bytes = document.utf8.drop(while: FeedBytes.isSpace).filter { $0 >= 0x20 || isXMLSpace($0) }
        guard !hasLongNamespace(bytes) else { throw .restricted }
        return try XMLFeedParser().read(bytes)
    }

    // MARK: Namespaces

    private static func isXMLSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Whether a document declares a namespace whose address is too long.
    ///
    /// Expat copies the address for each attribute with its prefix, so a document of 2 MB could take minutes, or 50 GB of memory.
    /// Its callback for declarations would come too late, because Expat reads a whole tag before.
    private static func hasLongNamespace(_ bytes: [UInt8]) -> Bool {
        let declaration = Array("xmlns".utf8)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == declaration[0], bytes[index...].starts(with: declaration) else {
                index += 1
                continue
            }
            index += declaration.count
            // The prefix, and the equals sign.
            while index < bytes.count, !isXMLSpace(bytes[index]), !"=<>\"'".utf8.contains(bytes[index]) { index += 1 }
            while index < bytes.count, isXMLSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { continue }
            index += 1
            while index < bytes.count, isXMLSpace(bytes[index]) { index += 1 }
            guard index < bytes.count, "\"'".utf8.contains(bytes[index]) else { continue }
            let quote = bytes[index]
            index += 1
            // The address is searched too: if this is in a text, there may be a real declaration in what looks like an address.
            let address = bytes[index...].prefix(longestNamespace + 1).prefix { $0 != quote }
            if address.count > longestNamespace { return true }
        }
        return false
    }

    private func read(_ bytes: [UInt8]) throws(FeedError) -> Feed {
        guard let expat else { throw .outOfMemory }
        setHandlers(of: expat)
        // The whole document at once: in pieces, Expat would look at a long tag again and again.
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                XML_Parse(expat, bytes.baseAddress, CInt(truncatingIfNeeded: bytes.count), 1) == XML_STATUS_OK
            }
        }
        if let failure { throw failure }
        guard isRead else { throw error(of: expat) }
        return reader.feed
    }

    private func setHandlers(of expat: XML_Parser) {
        // Declarations of entities are refused; this is a second line of defense.
        XML_SetBillionLaughsAttackProtectionMaximumAmplification(expat, 2)
        XML_SetUserData(expat, Unmanaged.passUnretained(self).toOpaque())
        XML_SetStartElementHandler(expat) { feedParser($0)?.start($1, $2) }
        XML_SetEndElementHandler(expat) { data, _ in feedParser(data)?.end() }
        XML_SetCharacterDataHandler(expat) { feedParser($0)?.characters($1, $2) }
        XML_SetStartDoctypeDeclHandler(expat) { data, _, _, _, hasDeclarations in
            if hasDeclarations != 0 { feedParser(data)?.refuse(.restricted) }
        }
        XML_SetEntityDeclHandler(expat) { data, _, _, _, _, _, _, _, _ in feedParser(data)?.refuse(.restricted) }
    }

    private func error(of expat: XML_Parser) -> FeedError {
        let code = XML_GetErrorCode(expat)
        switch code {
        case XML_ERROR_NO_MEMORY: return .outOfMemory
        case XML_ERROR_UNDEFINED_ENTITY: return .restricted
        default:
            let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            return .notWellFormed(line: Int(XML_GetCurrentLineNumber(expat)), reason: reason)
        }
    }

    // MARK: Callbacks

    /// Stops; Expat may call back a few more times.
    fileprivate func refuse(_ error: FeedError) {
        guard failure == nil else { return }
        failure = error
        XML_StopParser(expat, XML_Bool(XML_FALSE))
    }

    fileprivate func start(
        _ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard failure == nil, let name, let attributes else { return }
        depth += 1
        guard depth <= Self.deepest else { return refuse(.tooDeep) }
        let element = XMLFeedElement(
            name: XMLFeedName(written: Self.text(name, atMost: Self.longestName) ?? ""),
            attributes: Self.attributes(attributes))
        do throws(FeedError) {
            try reader.start(element)
        } catch {
            refuse(error)
        }
    }

    fileprivate func end() {
        guard failure == nil else { return }
        depth -= 1
        reader.end()
    }

    fileprivate func characters(_ characters: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard failure == nil else { return }
        reader.characters(UnsafeRawBufferPointer(start: characters, count: Int(count)))
    }

    /// Returns the attributes that matter, by name.
    private static func attributes(_ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>) -> [String: String] {
        var values: [String: String] = [:]
        var index = 0
        while let name = pairs[index], let value = pairs[index + 1] {
            index += 2
            guard let name = text(name, atMost: longestName), XMLFeedElement.attributes.contains(name) else { continue }
            values[name] = text(value, atMost: longestValue)
        }
        return values
    }

    /// Returns a text as Expat passes it; nil if it is longer than the limit in bytes.
    private static func text(_ start: UnsafePointer<XML_Char>, atMost limit: Int) -> String? {
        var bytes: [UInt8] = []
        for index in 0...limit {
            let byte = UInt8(truncatingIfNeeded: start[index])
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}

/// Returns the receiver of Expat's callbacks.
///
/// It is a function because C callbacks can't capture a type.
private func feedParser(_ data: UnsafeMutableRawPointer?) -> XMLFeedParser? {
    data.map { Unmanaged<XMLFeedParser>.fromOpaque($0).takeUnretainedValue() }
}

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
