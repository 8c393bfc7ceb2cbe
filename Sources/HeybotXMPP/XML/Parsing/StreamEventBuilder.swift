import CExpat

/// Turns Expat's callbacks into stream events, and stops the parser when a limit is exceeded.
struct StreamEventBuilder {
    /// Why Expat has to stop in the middle of its input without an error.
    enum ActionAfterHalt {
        case close, restart, refresh
        /// The rest of an element with this many open elements is to be skipped.
        case skip(depth: Int)
    }

    private(set) var failure: StreamParserError?
    /// The offset at which it has stopped, in bytes.
    private(set) var halt: (why: ActionAfterHalt, index: Int)?
    /// The end of the stream's opening tag, in bytes.
    private(set) var headerEnd: Int?
    var events: [StreamEvent] = []
    /// The header is parsed again, without producing an event.
    var isReplaying = false

    private let expat: XML_Parser?
    private let limits: StreamLimits
    private let restarts: [QualifiedName]
    private var names = XMLNameCache()
    private var contentNamespace = ""
    /// The incomplete elements, from the top level down.
    private var open: [Element] = []
    /// The incomplete text, which Expat passes in pieces.
    private var text: [UInt8] = []
    private var nodes = 0
    /// The element that is being skipped, and the number of open elements in it.
    private var skipping: (element: SkippedElement, depth: Int)?
    /// The end of the last element at the top level, or of the whitespace after it.
    private var mark = 0
    private var isClosed = false

    /// The number of bytes after which Expat is reset to forget names: in the worst case they take ten times as much memory.
    private static let refresh = 1_048_576
    private static let maxDepth = 512

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

    mutating func takeHalt() -> ActionAfterHalt? {
        defer { halt = nil }
        return halt?.why
    }

    mutating func fail(_ error: StreamParserError) {
        guard failure == nil else { return }
        begin()
        failure = error
    }

    // MARK: Limits of incomplete input

    /// Returns the number of bytes that Expat may parse next: one more than allowed, so that an excess is noticed.
    func remainingBytes(after fed: Int) -> Int {
        if skipping != nil { return .max }
        let limit = isOpen ? limits.elementBytes : limits.headerBytes
        let left = max(0, limit - (fed - mark))
        return left == .max ? left : left + 1
    }

    /// Checks whether what is incomplete is too long already.
    ///
    /// - Parameter token: The input that Expat keeps because it is incomplete: the beginning of a long tag.
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
            // Not an element, such as the stream's closing tag with an excessive content.
            case (nil, _), (_, UInt8(ascii: "!")), (_, UInt8(ascii: "/")):
                return refuse(StreamParserError(.policyViolation, reason))
            default: break
            }
        }
        skip(depth: depth, because: reason)
        // In the middle of an element, only the next tag shows where the parser is.
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

    /// Stops keeping the current element at the top level.
    ///
    /// - Parameters:
    ///   - depth: The number of open elements, including the one whose start tag was just parsed.
    ///   - start: The start tag that exceeds a limit.
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

    /// Reports the skipped element.
    ///
    /// - Parameters:
    ///   - name: Its name, if its start tag exceeds a limit and the name could be read nonetheless.
    ///   - start: What else could be read of such a start tag.
    mutating func endSkipping(_ name: QualifiedName? = nil, _ start: Element? = nil) {
        if let element = skipping?.element {
            events.append(.skipped(start.map { SkippedElement(name, $0, element.reason) } ?? element))
        }
        skipping = nil
    }

    // MARK: Callbacks

    /// Expat may call back a few more times after a request to stop.
    private var ignoresCallbacks: Bool { failure != nil || halt != nil }

    /// The end of what Expat reports in the current callback, in bytes.
    private var index: Int { Int(XML_GetCurrentByteIndex(expat)) + Int(XML_GetCurrentByteCount(expat)) }

    mutating func declaration(_ encoding: UnsafePointer<XML_Char>?) {
        guard !ignoresCallbacks, let encoding else { return }
        let name = String(cString: encoding)
        guard name.uppercased() != ExpatSetup.encoding else { return }
        refuse(StreamParserError(.unsupportedEncoding, "it declares an encoding other than UTF-8"))
    }

    mutating func restricted(_ what: String) {
        if !ignoresCallbacks { refuse(.restricted(what)) }
    }

    mutating func namespace(_ prefix: UnsafePointer<XML_Char>?, _ name: UnsafePointer<XML_Char>?) {
        if !ignoresCallbacks, prefix == nil, let name { contentNamespace = String(cString: name) }
    }

    mutating func start(_ name: UnsafePointer<XML_Char>?, _ attributes: ExpatAttributes.Pairs?) {
        guard !ignoresCallbacks, let name, let attributes else { return }
        guard isOpen else { return openStream(name, attributes) }
        let depth = (skipping?.depth ?? open.count) + 1
        if skipping == nil {
            do {
                try completeText()
                open.append(try element(name, attributes, atMost: min(limits.depth, Self.maxDepth)))
                return
            } catch {
                // Only the attributes of an element at the top level matter, and the first tag has them.
                skip(depth: depth, because: error.reason, start: SkippedElement(name, attributes, error.reason))
            }
        }
        skipping?.depth = depth
        halt(.skip(depth: depth), index)
    }

    mutating func end() {
        // Expat reports the end of an empty element even after a request to stop at its start.
        if case .skip(let depth)? = halt?.why { return endSkipped(depth: depth) }
        guard !ignoresCallbacks else { return }
        if let depth = skipping?.depth { return endSkipped(depth: depth) }
        guard !open.isEmpty else {
            events.append(.close)
            return halt(.close, index)
        }
        do throws(LimitExceeded) {
            guard Int(XML_GetCurrentByteCount(expat)) <= limits.tagBytes else { throw LimitExceeded(tagReason) }
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

    /// Handles an end tag in an element that is being skipped.
    private mutating func endSkipped(depth: Int) {
        skipping?.depth = depth - 1
        // With no open element, the skipper would look for one more, so Expat is only reset.
        halt(depth > 1 ? .skip(depth: depth - 1) : .refresh, index)
        if depth <= 1 { endSkipping() }
    }

    mutating func characters(_ characters: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard !ignoresCallbacks else { return }
        let bytes = UnsafeRawBufferPointer(start: characters, count: Int(count))
        if skipping != nil { return }
        if !open.isEmpty { return text.append(contentsOf: bytes) }
        guard bytes.allSatisfy(XMLWhitespace.contains) else {
            return refuse(StreamParserError(.badFormat, "there is text between elements"))
        }
        mark = index
    }

    // MARK: Building

    private mutating func halt(_ why: ActionAfterHalt, _ index: Int) {
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
            return refuse(StreamParserError(.invalidNamespace, "it isn't an XMPP stream"))
        }
        (headerEnd, mark) = (index, index)
        // Namespaces of elements are part of their names.
        XML_SetStartNamespaceDeclHandler(expat, nil)
        if isReplaying { return }
        events.append(
            .open(
                StreamHeader(
                    to: element["to"], from: element["from"], id: element["id"], version: element["version"],
                    lang: element["xml:lang"], namespace: contentNamespace)))
    }

    /// Creates an element without children, inside the open one.
    private mutating func element(
        _ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs, atMost depth: Int
    ) throws(LimitExceeded) -> Element {
        try countNode()
        guard open.count < depth else { throw LimitExceeded("more than \(depth) nested elements") }
        guard Int(XML_GetCurrentByteCount(expat)) <= limits.tagBytes else { throw LimitExceeded(tagReason) }
        return try element(name, attributes)
    }

    private mutating func element(
        _ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs
    ) throws(LimitExceeded) -> Element {
        let name = ExpatAttributes.bytes(name)
        let count = ExpatAttributes.count(attributes)
        guard count <= limits.attributes else {
            throw LimitExceeded("an element has more than \(limits.attributes) attributes")
        }
        guard name.count <= limits.nameBytes,
            let values = ExpatAttributes.values(attributes, count, longestName: limits.nameBytes, &names)
        else { throw LimitExceeded("a name and its namespace have more than \(limits.nameBytes) bytes") }
        let index = names.index(of: name)
        return Element(names[index].local, names[index].namespace, values, children: [])
    }

    /// Adds the text that is now complete to its element.
    private mutating func completeText() throws(LimitExceeded) {
        if text.isEmpty { return }
        try countNode()
        add(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: text.count <= 4_096)
    }

    private mutating func add(_ child: Element.Node) {
        guard let parent = open.indices.last else { return }
        // Most elements at the top level have several children, and nested ones at most one.
        if parent == 0, open[0].children.isEmpty { open[0].children.reserveCapacity(4) }
        open[parent].children.append(child)
    }

    private mutating func countNode() throws(LimitExceeded) {
        nodes += 1
        if nodes > limits.nodes {
            throw LimitExceeded("an element has more than \(limits.nodes) elements and texts in it")
        }
    }
}

/// An exceeded limit.
private struct LimitExceeded: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension SkippedElement {
    private static let kept = ["from", "id", "type"]
    private static let longest = 3_071

    /// Creates the description of an element whose start tag is within the limits.
    fileprivate init(_ element: Element, _ reason: String) {
        self.init(QualifiedName(element.name, element.namespace), element, reason)
    }

    /// Creates a description from a name, if it is known, and an element with the same attributes.
    fileprivate init(_ name: QualifiedName?, _ element: Element, _ reason: String) {
        var attributes: Attributes = [:]
        for name in Self.kept {
            if let value = element[name], value.utf8.count <= Self.longest { attributes[name] = value }
        }
        self.init(name: name?.name, namespace: name?.namespace, attributes: attributes, reason: reason)
    }

    /// Creates the description of an element whose start tag exceeds a limit.
    fileprivate init(_ name: UnsafePointer<XML_Char>, _ pairs: ExpatAttributes.Pairs, _ reason: String) {
        var attributes: Attributes = [:]
        for index in 0..<ExpatAttributes.count(pairs) {
            guard let name = pairs[2 * index], let value = pairs[2 * index + 1] else { break }
            let bytes = ExpatAttributes.bytes(value)
            guard bytes.count <= Self.longest,
                let kept = Self.kept.first(where: { $0.hasBytes(ExpatAttributes.bytes(name)) })
            else { continue }
            attributes[kept] = String(decoding: bytes, as: UTF8.self)
        }
        let written = ExpatAttributes.bytes(name)
        guard written.count <= Self.longest else {
            self.init(name: nil, namespace: nil, attributes: attributes, reason: reason)
            return
        }
        let parts = written.split(separator: UInt8(bitPattern: ExpatSetup.separator), omittingEmptySubsequences: false)
        self.init(
            name: parts.last.map { String(decoding: $0, as: UTF8.self) },
            namespace: parts.count > 1 ? String(decoding: parts[0], as: UTF8.self) : "", attributes: attributes,
            reason: reason)
    }
}
