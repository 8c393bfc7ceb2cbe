import CExpat

/// Reads a stream of XMPP as it comes, in pieces of any size (RFC 6120 section 4).
///
/// XML that has no place in XMPP is refused (section 11.1). An element over one of the ``StreamLimits`` is skipped, in
/// constant memory. Whitespace before a stream, between its elements and behind it is let pass, and leaves nothing behind.
package final class XMLStreamParser {
    /// The elements after which both sides begin a new stream on the same connection: TLS `proceed` and SASL `success`.
    package static let restarts: Set = [
        QualifiedName("proceed", Namespace.tls), QualifiedName("success", Namespace.sasl)
    ]

    /// Expat calls with this pointer, and so it keeps nothing alive.
    private let builder: UnsafeMutablePointer<StreamBuilder>
    private let expat: XML_Parser?
    /// The stream's opening tag as it came, with all that was before it.
    private var opening: [UInt8] = []
    /// The bytes that expat has had since it began again.
    private var fed = 0
    /// What expat has had and couldn't read yet: the beginning of a tag.
    private var token: [UInt8] = []
    /// Reads the rest of an element that is over a limit, in place of expat.
    private var skipper: ElementSkipper?
    private var isClosed = false

    /// Bytes given to expat at once: with a tag much longer than that it has no time to do harm.
    private static let slice = 16_384

    /// Makes one that waits for a stream to begin.
    ///
    /// - Parameter restarts: the elements directly in a stream after which it is over, and a new one begins.
    package init(limits: StreamLimits = StreamLimits(), restartsAfter restarts: Set<QualifiedName> = restarts) {
        expat = Expat.create()
        builder = .allocate(capacity: 1)
        builder.initialize(to: StreamBuilder(expat, limits, restarts))
        Expat.prepare(expat, for: builder)
    }

    deinit {
        XML_ParserFree(expat)
        builder.deinitialize(count: 1)
        builder.deallocate()
    }

    /// Takes bytes as they come, and appends what they complete.
    ///
    /// After an element that ends a stream nothing but whitespace may follow in the same bytes: whoever sends more
    /// there, before TLS, has no business in what comes after.
    ///
    /// - Throws: why nothing can be read any more, now and each time after; events from before that are appended.
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
            // Expat wants the XML declaration first, and has seen the end after the closing tag.
            if isClosed || fed == 0 { rest = rest.drop(while: XMLSpace.contains) }
            if rest.isEmpty { return }
            if isClosed { return refuse(.notWellFormed, "there is something after the end of the stream") }
            rest = rest.dropFirst(parse(rest))
            switch builder.pointee.takeHalt() {
            case nil: break
            case .close: isClosed = true
            case .refresh: refresh()
            case .skip(let depth):
                skipper = ElementSkipper(depth: depth)
                // Expat has it, and we haven't seen it.
                let token = token
                if skip(token) < token.count { refuse(.notWellFormed, "it is no XML: a tag ends within a tag") }
            case .restart:
                if !rest.allSatisfy(XMLSpace.contains) {
                    refuse(.policyViolation, "there is something behind the element that ends the stream")
                }
                return begin()
            }
        }
    }

    /// Gives expat the first of the bytes; how many are done with.
    private func parse(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        let before = fed
        let count = min(bytes.count, Self.slice, builder.pointee.room(after: fed))
        let slice = UnsafeBufferPointer(rebasing: bytes.prefix(count))
        let wasOpen = builder.pointee.isOpen
        if !wasOpen {
            opening.append(contentsOf: slice)
            if let error = Expat.error(inFirst: opening) {
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
        if !isRead, builder.pointee.failure == nil { builder.pointee.fail(Expat.error(expat)) }
        if isRead {
            keepToken(from: slice)
            builder.pointee.check(after: fed, token: token)
        }
        return count
    }

    /// Keeps what expat couldn't read yet.
    private func keepToken(from slice: UnsafeBufferPointer<UInt8>) {
        let count = builder.pointee.isOpen ? fed - Int(XML_GetCurrentByteIndex(expat)) : 0
        if count <= slice.count { token.removeAll(keepingCapacity: true) }
        token.append(contentsOf: slice.suffix(max(count, 0)))
    }

    /// Gives the skipper the bytes; how many of them belong to what is skipped.
    private func skip(_ bytes: some Collection<UInt8>) -> Int {
        do {
            guard let end = try skipper?.skip(bytes) else { return bytes.count }
            skipper = nil
            builder.pointee.endSkipping()
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

    /// Makes expat forget all, and hear again how the stream began.
    ///
    /// It keeps each name there ever was: in a stream that lasts for months they'd fill the memory.
    private func refresh() {
        let opening = opening
        begin()
        self.opening = opening
        builder.pointee.isReplaying = true
        let isRead = opening.withUnsafeBufferPointer(give)
        builder.pointee.isReplaying = false
        if !isRead { refuse(.resourceConstraint, "there is no memory for it") }
    }

    private func begin() {
        (opening, fed, token) = ([], 0, [])
        builder.pointee.begin()
        XML_ParserReset(expat, Expat.encoding)
        Expat.prepare(expat, for: builder)
    }

    private func refuse(_ condition: StreamParserError.Condition, _ reason: String) {
        builder.pointee.fail(StreamParserError(condition, reason))
    }
}
