import CExpat

/// Makes events of what expat finds, and stops it if that isn't let pass.
struct StreamBuilder {
    /// Why expat has to stop in the middle of what it was given, though nothing is wrong.
    enum Halt {
        case close, restart, refresh
        /// The rest of an element is to be skipped, in which so many elements are open.
        case skip(depth: Int)
    }

    private(set) var failure: StreamParserError?
    /// Where it has stopped, as a count of bytes.
    private(set) var halt: (why: Halt, index: Int)?
    /// Where the stream's opening tag ends.
    private(set) var headerEnd: Int?
    var events: [StreamEvent] = []
    /// The header is read once more, and nothing is told of it.
    var isReplaying = false

    private let expat: XML_Parser?
    private let limits: StreamLimits
    private let restarts: [QualifiedName]
    private var names = NameCache()
    private var contentNamespace = ""
    /// The elements that aren't complete, from the one directly in the stream on.
    private var open: [Element] = []
    /// The text that isn't complete; it comes in pieces.
    private var text: [UInt8] = []
    private var nodes = 0
    /// What is known of the element that is being skipped, and how many elements are open in it.
    private var skipping: (element: SkippedElement, depth: Int)?
    /// Where the last element directly in the stream, or the whitespace after it, ends.
    private var mark = 0
    private var isClosed = false

    /// After so many bytes expat is to forget the names it knows: at worst they take ten times as much.
    private static let refresh = 1_048_576
    private static let deepest = 512

    init(_ expat: XML_Parser?, _ limits: StreamLimits, _ restarts: Set<QualifiedName>) {
        self.expat = expat
        self.limits = limits
        self.restarts = Array(restarts)
    }

    var isOpen: Bool { headerEnd != nil }

    mutating func begin() {
        (halt, headerEnd, nodes, mark, isClosed) = (nil, nil, 0, 0, false)
        contentNamespace = ""
        text.removeAll()
        open.removeAll()
        skipping = nil
    }

    mutating func takeHalt() -> Halt? {
        defer { halt = nil }
        return halt?.why
    }

    mutating func fail(_ error: StreamParserError) {
        guard failure == nil else { return }
        begin()
        failure = error
    }

    // MARK: Limits between calls

    /// How many bytes expat may see next: one more than is let pass, so that it comes to light.
    func room(after fed: Int) -> Int {
        if skipping != nil { return .max }
        let limit = isOpen ? limits.elementBytes : limits.headerBytes
        let left = max(0, limit - (fed - mark))
        return left == .max ? left : left + 1
    }

    /// Whether what isn't complete is too long already.
    ///
    /// - Parameter token: What expat keeps because it isn't complete: the beginning of a tag, if it's long.
    mutating func check(after fed: Int, token: [UInt8]) {
        guard isOpen else {
            if fed - mark > limits.headerBytes { refuseHeader() }
            return
        }
        let isTagTooLong = token.count > limits.tagBytes
        guard isTagTooLong || skipping == nil && fed - mark > limits.elementBytes else { return }
        let reason = isTagTooLong ? tagReason : elementReason
        let depth = skipping?.depth ?? open.count
        if depth == 0 {
            switch (token.first, token.dropFirst().first) {
            case (UInt8(ascii: "<"), UInt8(ascii: "!")) where token.dropFirst(2).first == UInt8(ascii: "-"):
                return refuse(.restricted("a comment"))
            case (UInt8(ascii: "<"), UInt8(ascii: "?")): return refuse(.restricted("a processing instruction"))
            // It's no element, such as the stream's closing tag with much in it.
            case (nil, _), (_, UInt8(ascii: "!")), (_, UInt8(ascii: "/")):
                return refuse(StreamParserError(.policyViolation, reason))
            default: break
            }
        }
        skip(depth: depth, because: reason)
        // In the middle of an element, only the next tag shows where we are.
        if isTagTooLong || depth == 0 { halt(.skip(depth: depth), fed) }
    }

    private var elementReason: String { "an element has more than \(limits.elementBytes) bytes" }
    private var tagReason: String { "a tag has more than \(limits.tagBytes) bytes" }

    private mutating func refuseHeader() {
        refuse(
            StreamParserError(
                .policyViolation, "the stream's opening tag isn't complete after \(limits.headerBytes) bytes"))
    }

    private mutating func refuse(_ error: StreamParserError) {
        fail(error)
        XML_StopParser(expat, XML_Bool(XML_FALSE))
    }

    // MARK: Skipping

    /// Keeps nothing of the element directly in the stream from now on.
    ///
    /// - Parameters:
    ///   - depth: How many elements are open, the one included whose start tag was just read.
    ///   - start: The start tag that is over a limit.
    private mutating func skip(depth: Int, because reason: String, start: SkippedElement? = nil) {
        guard skipping == nil else {
            skipping?.depth = depth
            return
        }
        let element =
            open.first.map { SkippedElement($0, reason) } ?? start
            ?? SkippedElement(name: nil, namespace: nil, reason: reason)
        skipping = (element, depth)
        open.removeAll()
        text.removeAll()
    }

    /// The element that was being skipped is over.
    mutating func endSkipping() {
        if let element = skipping?.element { events.append(.skipped(element)) }
        skipping = nil
    }

    // MARK: What expat finds

    /// It may go on for a little when it is told to stop.
    private var isDeaf: Bool { failure != nil || halt != nil }

    /// The end of what expat tells of just now.
    private var index: Int { Int(XML_GetCurrentByteIndex(expat)) + Int(XML_GetCurrentByteCount(expat)) }

    mutating func declaration(_ encoding: UnsafePointer<XML_Char>?) {
        guard !isDeaf, let encoding else { return }
        let name = String(cString: encoding)
        guard name.uppercased() != Expat.encoding else { return }
        refuse(StreamParserError(.unsupportedEncoding, "it says it isn't in UTF-8"))
    }

    mutating func restricted(_ what: String) {
        if !isDeaf { refuse(.restricted(what)) }
    }

    mutating func namespace(_ prefix: UnsafePointer<XML_Char>?, _ name: UnsafePointer<XML_Char>?) {
        if !isDeaf, prefix == nil, let name { contentNamespace = String(cString: name) }
    }

    mutating func start(_ name: UnsafePointer<XML_Char>?, _ attributes: ExpatAttributes.Pairs?) {
        guard !isDeaf, let name, let attributes else { return }
        guard isOpen else { return openStream(name, attributes) }
        let depth = (skipping?.depth ?? open.count) + 1
        if skipping == nil {
            do {
                try completeText()
                open.append(try element(name, attributes, atMost: min(limits.depth, Self.deepest)))
                return
            } catch {
                // Nothing is lost if it isn't the first tag, since the first has its own attributes.
                skip(depth: depth, because: error.reason, start: SkippedElement(name, attributes, error.reason))
            }
        }
        skipping?.depth = depth
        halt(.skip(depth: depth), index)
    }

    mutating func end() {
        // Expat tells of the end of an empty element even if it was told to stop at its start.
        if case .skip(let depth)? = halt?.why { return endSkipped(depth: depth) }
        guard !isDeaf else { return }
        if let depth = skipping?.depth { return endSkipped(depth: depth) }
        guard !open.isEmpty else {
            events.append(.close)
            return halt(.close, index)
        }
        do throws(OverLimit) {
            guard Int(XML_GetCurrentByteCount(expat)) <= limits.tagBytes else { throw OverLimit(tagReason) }
            try completeText()
        } catch {
            let depth = open.count
            skip(depth: depth, because: error.reason)
            return endSkipped(depth: depth)
        }
        guard let element = open.popLast() else { return }
        if !open.isEmpty { return add(.element(element)) }
        let index = index
        let isTooLong = index - mark > limits.elementBytes
        (mark, nodes) = (index, 0)
        events.append(isTooLong ? .skipped(SkippedElement(element, elementReason)) : .element(element))
        if !isTooLong, restarts.contains(where: { element.is($0.name, $0.namespace) }) {
            halt(.restart, index)
        } else if index > Self.refresh {
            halt(.refresh, index)
        }
    }

    /// An end tag was read in an element that is being skipped.
    private mutating func endSkipped(depth: Int) {
        skipping?.depth = depth - 1
        // With no element open, the skipper would look for one more: then expat only begins again.
        halt(depth > 1 ? .skip(depth: depth - 1) : .refresh, index)
        if depth <= 1 { endSkipping() }
    }

    mutating func characters(_ characters: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard !isDeaf else { return }
        let bytes = UnsafeRawBufferPointer(start: characters, count: Int(count))
        if skipping != nil { return }
        if !open.isEmpty { return text.append(contentsOf: bytes) }
        guard bytes.allSatisfy(XMLSpace.contains) else {
            return refuse(StreamParserError(.badFormat, "there is text between elements"))
        }
        mark = index
    }

    // MARK: Parts

    private mutating func halt(_ why: Halt, _ index: Int) {
        halt = (why, index)
        XML_StopParser(expat, XML_Bool(XML_FALSE))
    }

    private mutating func openStream(_ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs) {
        let index = index
        guard index <= limits.headerBytes else { return refuseHeader() }
        let element: Element
        do { element = try self.element(name, attributes) } catch {
            return refuse(StreamParserError(.policyViolation, error.reason))
        }
        guard element.is("stream", Namespace.streams) else {
            return refuse(StreamParserError(.invalidNamespace, "it isn't a stream of XMPP"))
        }
        (headerEnd, mark) = (index, index)
        // Namespaces within elements come with their names.
        XML_SetStartNamespaceDeclHandler(expat, nil)
        if isReplaying { return }
        events.append(
            .open(
                StreamHeader(
                    to: element["to"], from: element["from"], id: element["id"], version: element["version"],
                    lang: element["xml:lang"], namespace: contentNamespace)))
    }

    /// An element without children, within the one that is open.
    private mutating func element(
        _ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs, atMost depth: Int
    ) throws(OverLimit) -> Element {
        try countNode()
        guard open.count < depth else { throw OverLimit("more than \(depth) elements are within each other") }
        guard Int(XML_GetCurrentByteCount(expat)) <= limits.tagBytes else { throw OverLimit(tagReason) }
        return try element(name, attributes)
    }

    private mutating func element(
        _ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs
    ) throws(OverLimit) -> Element {
        let name = ExpatAttributes.bytes(name)
        let count = ExpatAttributes.count(attributes)
        guard count <= limits.attributes else {
            throw OverLimit("an element has more than \(limits.attributes) attributes")
        }
        guard name.count <= limits.nameBytes,
            let values = ExpatAttributes.values(attributes, count, longestName: limits.nameBytes, &names)
        else { throw OverLimit("a name and its namespace have more than \(limits.nameBytes) bytes") }
        let index = names.index(of: name)
        return Element(names[index].local, names[index].namespace, values, children: [])
    }

    /// Puts the text that is complete now into its element.
    private mutating func completeText() throws(OverLimit) {
        if text.isEmpty { return }
        try countNode()
        add(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: text.count <= 4_096)
    }

    private mutating func add(_ child: Element.Node) {
        guard let parent = open.indices.last else { return }
        // Most have more than one child here, and further down one or none.
        if parent == 0, open[0].children.isEmpty { open[0].children.reserveCapacity(4) }
        open[parent].children.append(child)
    }

    private mutating func countNode() throws(OverLimit) {
        nodes += 1
        if nodes > limits.nodes {
            throw OverLimit("an element has more than \(limits.nodes) elements and texts in it")
        }
    }
}

/// Which limit something is over.
private struct OverLimit: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension SkippedElement {
    private static let kept = ["from", "id", "type"]
    private static let longest = 3_071

    /// What is known of an element whose start tag is within the limits.
    fileprivate init(_ element: Element, _ reason: String) {
        var attributes: Attributes = [:]
        for name in Self.kept {
            if let value = element[name], value.utf8.count <= Self.longest { attributes[name] = value }
        }
        self.init(name: element.name, namespace: element.namespace, attributes: attributes, reason: reason)
    }

    /// What is known of an element whose start tag is over a limit.
    fileprivate init(_ name: UnsafePointer<XML_Char>, _ pairs: ExpatAttributes.Pairs, _ reason: String) {
        var attributes: Attributes = [:]
        for index in 0..<ExpatAttributes.count(pairs) {
            guard let name = pairs[2 * index], let value = pairs[2 * index + 1] else { break }
            let bytes = ExpatAttributes.bytes(value)
            guard bytes.count <= Self.longest,
                let kept = Self.kept.first(where: { $0.isWritten(ExpatAttributes.bytes(name)) })
            else { continue }
            attributes[kept] = String(decoding: bytes, as: UTF8.self)
        }
        let written = ExpatAttributes.bytes(name)
        guard written.count <= Self.longest else {
            self.init(name: nil, namespace: nil, attributes: attributes, reason: reason)
            return
        }
        let parts = written.split(separator: UInt8(bitPattern: Expat.separator), omittingEmptySubsequences: false)
        self.init(
            name: parts.last.map { String(decoding: $0, as: UTF8.self) },
            namespace: parts.count > 1 ? String(decoding: parts[0], as: UTF8.self) : "", attributes: attributes,
            reason: reason)
    }
}
