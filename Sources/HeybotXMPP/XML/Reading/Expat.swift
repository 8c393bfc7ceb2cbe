import CExpat

/// How expat is set up, and what its errors mean here.
enum Expat {
    static let encoding = "UTF-8"
    /// Between a namespace and a name; no XML has it in it.
    static let separator: XML_Char = 0x01

    static func create() -> XML_Parser? { XML_ParserCreateNS(encoding, separator) }

    /// Sets all that it forgets when it is reset.
    static func prepare(_ parser: XML_Parser?, for builder: UnsafeMutablePointer<StreamBuilder>) {
        guard let parser else { return builder.pointee.fail(StreamParserError(.resourceConstraint, noMemory)) }
        heybot_expat_read_at_once(parser)
        // No entity is ever declared; were there a way around that, it wouldn't lead far.
        XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, 2)
        XML_SetUserData(parser, builder)
        XML_SetStartElementHandler(parser) { streamBuilder($0)?.pointee.start($1, $2) }
        XML_SetEndElementHandler(parser) { data, _ in streamBuilder(data)?.pointee.end() }
        XML_SetCharacterDataHandler(parser) { streamBuilder($0)?.pointee.characters($1, $2) }
        XML_SetXmlDeclHandler(parser) { data, _, encoding, _ in streamBuilder(data)?.pointee.declaration(encoding) }
        XML_SetStartNamespaceDeclHandler(parser) { streamBuilder($0)?.pointee.namespace($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in streamBuilder(data)?.pointee.restricted("a DTD") }
        XML_SetCommentHandler(parser) { data, _ in streamBuilder(data)?.pointee.restricted("a comment") }
        XML_SetProcessingInstructionHandler(parser) { data, _, _ in
            streamBuilder(data)?.pointee.restricted("a processing instruction")
        }
    }

    /// Why it has stopped by itself.
    static func error(_ parser: XML_Parser?) -> StreamParserError {
        let code = XML_GetErrorCode(parser)
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        switch code {
        case XML_ERROR_NO_MEMORY: return StreamParserError(.resourceConstraint, noMemory)
        case XML_ERROR_UNDEFINED_ENTITY: return StreamParserError(.restrictedXML, "it has an entity in it")
        default: return StreamParserError(.notWellFormed, "it is no XML: \(reason)")
        }
    }

    static let noMemory = "there is no memory for it"

    /// What is wrong with how a stream begins, before expat sees it: that would go over to UTF-16 by itself, whatever
    /// encoding it was told.
    static func error(inFirst bytes: [UInt8]) -> StreamParserError? {
        let unsupported = StreamParserError(.unsupportedEncoding, "it isn't in UTF-8")
        switch bytes.first {
        case UInt8(ascii: "<"): return bytes.dropFirst().first == 0x00 ? unsupported : nil
        case 0x00, 0xfe, 0xff: return unsupported
        // Nothing yet, or the byte order mark of UTF-8.
        case nil, 0xef: return nil
        default: return StreamParserError(.notWellFormed, "it is no XML")
        }
    }
}

/// Whom expat calls.
///
/// It's a function of its own since C calls nothing that captures a type.
private func streamBuilder(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<StreamBuilder>? {
    data?.assumingMemoryBound(to: StreamBuilder.self)
}

extension String {
    /// Whether it is these bytes in UTF-8.
    func isWritten(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            own.count == bytes.count && heybot_expat_same(own.baseAddress, bytes.baseAddress, own.count)
        }
        return isSame ?? utf8.elementsEqual(bytes)
    }

    /// Whether both are the same bytes in UTF-8; for that, nobody need know what Unicode holds to be the same.
    func isWritten(like other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return other.utf8.withContiguousStorageIfAvailable(isWritten) ?? utf8.elementsEqual(other.utf8)
    }
}
