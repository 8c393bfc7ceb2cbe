import CExpat

/// A push parser for XMPP streams, which takes input in pieces of any size (RFC 6120 section 4).
///
/// XML that XMPP doesn't allow is refused (section 11.1). An element that exceeds one of the ``StreamLimits`` is skipped in
/// constant memory. Whitespace before, after and between elements at the top level is ignored.
package final class XMLStreamParser {
    /// The elements after which both sides open a new stream on the same connection: TLS `proceed` and SASL `success`.
    package static let restarts: Set = [
        QualifiedName("proceed", Namespace.tls), QualifiedName("success", Namespace.sasl)
    ]

    /// The user data of Expat's callbacks, which keeps nothing alive.
    private let builder: UnsafeMutablePointer<StreamEventBuilder>
    private let expat: XML_Parser?
    /// The stream's opening tag as received, with everything before it.
    private var opening: [UInt8] = []
    /// The number of bytes parsed since the last reset.
    private var fed = 0
    /// What Expat has received and couldn't parse yet: the beginning of a tag.
    private var token: [UInt8] = []
    /// Reads the rest of an element that exceeds a limit, instead of Expat.
    private var skipper: ElementSkipper?
    private var isClosed = false

    /// The number of bytes parsed at once, which bounds the time that an overlong tag takes.
    private static let slice = 16_384

    /// Creates a parser at the beginning of a stream.
    ///
    /// - Parameter restarts: The elements at the top level after which a new stream begins.
    package init(limits: StreamLimits = StreamLimits(), restartsAfter restarts: Set<QualifiedName> = restarts) {
        expat = ExpatSetup.create()
        builder = .allocate(capacity: 1)
        builder.initialize(to: StreamEventBuilder(expat, limits, restarts))
        ExpatSetup.prepare(expat, for: builder)
    }

    deinit {
        XML_ParserFree(expat)
        builder.deinitialize(count: 1)
        builder.deallocate()
    }

    /// Parses input, and appends the events that it completes.
    ///
    /// After an element that ends the stream, only whitespace may follow in the same input: a sender who adds more, before
    /// TLS, might be anyone on the network path.
    ///
    /// - Throws: The reason why the stream can't be parsed any further, in this call and every later one. Earlier events are
    ///   appended nonetheless.
    package func feed(_ bytes: ArraySlice<UInt8>, into events: inout [StreamEvent]) throws(StreamParserError) {
        bytes.withUnsafeBufferPointer(read)
        if events.isEmpty {
            swap(&events, &builder.pointee.events)
        } else {
            events.append(contentsOf: builder.pointee.events)
            builder.pointee.events.removeAll()
        }
        if let failure = builder.pointee.failure { throw failure }
    }

    private func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes[...]
        while builder.pointee.failure == nil {
            if skipper != nil {
                rest = rest.dropFirst(skip(rest))
                if rest.isEmpty || skipper != nil { return }
            }
            // Expat wants the XML declaration first, and is done after the closing tag.
            if isClosed || fed == 0 { rest = rest.drop(while: XMLWhitespace.contains) }
            if rest.isEmpty { return }
            if isClosed { return refuse(.notWellFormed, "data follows the end of the stream") }
            rest = rest.dropFirst(parse(rest))
            switch builder.pointee.takeHalt() {
            case nil: break
            case .close: isClosed = true
            case .refresh: refresh()
            case .skip(let depth):
                skipper = ElementSkipper(depth: depth)
                // Expat has read it, but the skipper hasn't.
                let token = token
                if skip(token) < token.count {
                    refuse(.notWellFormed, "it isn't well-formed XML: a tag ends within a tag")
                }
            case .restart:
                if !rest.allSatisfy(XMLWhitespace.contains) {
                    refuse(.policyViolation, "data follows the element that ends the stream")
                }
                return begin()
            }
        }
    }

    /// Passes the first bytes to Expat, and returns how many were used.
    private func parse(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let before = fed
        let count = min(bytes.count, Self.slice, builder.pointee.remainingBytes(after: fed))
        let slice = UnsafeBufferPointer(rebasing: bytes.prefix(count))
        let wasOpen = builder.pointee.isOpen
        if !wasOpen {
            opening.append(contentsOf: slice)
            if let error = ExpatSetup.error(inFirst: opening) {
                builder.pointee.fail(error)
                return count
            }
        }
        let isRead = give(slice)
        if !wasOpen, let end = builder.pointee.headerEnd { opening.removeLast(max(0, opening.count - end)) }
        if let halt = builder.pointee.halt {
            token = []
            return max(0, min(count, halt.index - before))
        }
        if !isRead, builder.pointee.failure == nil { builder.pointee.fail(ExpatSetup.error(expat)) }
        if isRead {
            keepToken(from: slice)
            builder.pointee.check(after: fed, token: token)
        }
        return count
    }

    /// Keeps the input that Expat couldn't parse yet.
    private func keepToken(from slice: UnsafeBufferPointer<UInt8>) {
        let count = builder.pointee.isOpen ? fed - Int(XML_GetCurrentByteIndex(expat)) : 0
        if count <= slice.count { token.removeAll(keepingCapacity: true) }
        token.append(contentsOf: slice.suffix(max(count, 0)))
    }

    /// Passes bytes to the skipper, and returns how many belong to the skipped element.
    private func skip(_ bytes: some Collection<UInt8>) -> Int {
        do {
            guard let end = try skipper?.skip(bytes) else { return bytes.count }
            let start = skipper?.start?.element(after: opening)
            skipper = nil
            builder.pointee.endSkipping(start?.name, start?.element)
            refresh()
            return end
        } catch {
            skipper = nil
            builder.pointee.fail(error)
            return bytes.count
        }
    }

    private func give(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        fed += bytes.count
        return bytes.withMemoryRebound(to: CChar.self) { bytes in
            XML_Parse(expat, bytes.baseAddress, CInt(truncatingIfNeeded: bytes.count), 0) == XML_STATUS_OK
        }
    }

    /// Resets Expat, and parses the opening tag again.
    ///
    /// Expat keeps every name it has ever seen: in a stream that lasts for months, they would fill the memory.
    private func refresh() {
        let opening = opening
        begin()
        self.opening = opening
        builder.pointee.isReplaying = true
        let isRead = opening.withUnsafeBufferPointer(give)
        builder.pointee.isReplaying = false
        if !isRead { refuse(.resourceConstraint, "the robot is out of memory") }
    }

    private func begin() {
        (opening, fed, token) = ([], 0, [])
        builder.pointee.begin()
        XML_ParserReset(expat, ExpatSetup.encoding)
        ExpatSetup.prepare(expat, for: builder)
    }

    private func refuse(_ condition: StreamParserError.Condition, _ reason: String) {
        builder.pointee.fail(StreamParserError(condition, reason))
    }
}
