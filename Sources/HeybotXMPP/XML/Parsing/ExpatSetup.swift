import CExpat

/// The setup of an Expat parser, and the meaning of its errors.
enum ExpatSetup {
    static let encoding = "UTF-8"
    /// Separates a namespace from a name; XML doesn't allow this character.
    static let separator: XML_Char = 0x01

    static func create() -> XML_Parser? { XML_ParserCreateNS(encoding, separator) }

    /// Sets everything that a reset clears.
    static func prepare(_ parser: XML_Parser?, for builder: UnsafeMutablePointer<StreamEventBuilder>) {
        guard let parser else { return builder.pointee.fail(StreamParserError(.resourceConstraint, noMemory)) }
        heybot_expat_read_at_once(parser)
        // Declarations of entities are refused; this is a second line of defense.
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

    /// Returns why the parser has stopped by itself.
    static func error(_ parser: XML_Parser?) -> StreamParserError {
        let code = XML_GetErrorCode(parser)
        let reason = XML_ErrorString(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
        switch code {
        case XML_ERROR_NO_MEMORY: return StreamParserError(.resourceConstraint, noMemory)
        case XML_ERROR_UNDEFINED_ENTITY: return StreamParserError(.restrictedXML, "it contains an entity")
        default: return StreamParserError(.notWellFormed, "it isn't well-formed XML: \(reason)")
        }
    }

    static let noMemory = "the robot is out of memory"

    /// Checks the first bytes of a stream before Expat sees them: it would switch to UTF-16 whatever encoding it was given.
    static func error(inFirst bytes: [UInt8]) -> StreamParserError? {
        let unsupported = StreamParserError(.unsupportedEncoding, "it isn't UTF-8")
        switch bytes.first {
        case UInt8(ascii: "<"): return bytes.dropFirst().first == 0x00 ? unsupported : nil
        case 0x00, 0xfe, 0xff: return unsupported
        // Nothing yet, or the byte order mark of UTF-8.
        case nil, 0xef: return nil
        default: return StreamParserError(.notWellFormed, "it isn't well-formed XML")
        }
    }
}

/// Returns the receiver of Expat's callbacks.
///
/// It is a function because C callbacks can't capture a type.
private func streamBuilder(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<StreamEventBuilder>? {
    data?.assumingMemoryBound(to: StreamEventBuilder.self)
}
