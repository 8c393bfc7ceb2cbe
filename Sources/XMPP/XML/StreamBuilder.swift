import CExpat

/// Makes events of what expat finds, and stops it where that isn't let pass.
struct StreamBuilder {
    /// Why expat has to stop in the middle of what it was given, though nothing is wrong.
    enum Halt { case close, restart, refresh }

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
        let limit = isOpen ? limits.elementBytes : limits.headerBytes
        let left = max(0, limit - (fed - mark))
        return left == .max ? left : left + 1
    }

    /// Whether what isn't complete is too long already.
    mutating func check(after fed: Int) {
        if fed - mark > (isOpen ? limits.elementBytes : limits.headerBytes) {
            isOpen ? refuseElement() : refuseHeader()
        } else if isOpen, fed - Int(XML_GetCurrentByteIndex(expat)) > limits.tagBytes {
            refuseTag()
        }
    }

    private mutating func refuseElement() {
        refuse(.policyViolation, "an element has more than \(limits.elementBytes) bytes")
    }

    private mutating func refuseHeader() {
        refuse(.policyViolation, "the stream's opening tag isn't complete after \(limits.headerBytes) bytes")
    }

    private mutating func refuseTag() {
        refuse(.policyViolation, "a tag has more than \(limits.tagBytes) bytes")
    }

    private mutating func refuse(_ condition: StreamParserError.Condition, _ reason: String) {
        fail(StreamParserError(condition, reason))
        XML_StopParser(expat, XML_Bool(XML_FALSE))
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
        refuse(.unsupportedEncoding, "it says it isn't in UTF-8")
    }

    mutating func restricted(_ what: String) {
        if !isDeaf { refuse(.restrictedXML, "it has \(what) in it") }
    }

    mutating func namespace(_ prefix: UnsafePointer<XML_Char>?, _ name: UnsafePointer<XML_Char>?) {
        if !isDeaf, prefix == nil, let name { contentNamespace = String(cString: name) }
    }

    mutating func start(_ name: UnsafePointer<XML_Char>?, _ attributes: ExpatAttributes.Pairs?) {
        guard !isDeaf, let name, let attributes else { return }
        guard isOpen else { return openStream(name, attributes) }
        guard completeText(), countNode() else { return }
        let depth = min(limits.depth, Self.deepest)
        guard open.count < depth else {
            return refuse(.policyViolation, "more than \(depth) elements are within each other")
        }
        guard Int(XML_GetCurrentByteCount(expat)) <= limits.tagBytes else { return refuseTag() }
        guard let element = element(name, attributes) else { return }
        open.append(element)
    }

    mutating func end() {
        guard !isDeaf else { return }
        guard completeText() else { return }
        guard let element = open.popLast() else {
            events.append(.close)
            return halt(.close, index)
        }
        if !open.isEmpty { return add(.element(element)) }
        let index = index
        guard index - mark <= limits.elementBytes else { return refuseElement() }
        (mark, nodes) = (index, 0)
        events.append(.element(element))
        if restarts.contains(where: { element.is($0.name, $0.namespace) }) {
            halt(.restart, index)
        } else if index > Self.refresh {
            halt(.refresh, index)
        }
    }

    mutating func characters(_ characters: UnsafePointer<XML_Char>?, _ count: CInt) {
        guard !isDeaf else { return }
        let bytes = UnsafeRawBufferPointer(start: characters, count: Int(count))
        if !open.isEmpty { return text.append(contentsOf: bytes) }
        guard bytes.allSatisfy(XMLSpace.contains) else { return refuse(.badFormat, "there is text between elements") }
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
        guard let element = element(name, attributes) else { return }
        guard element.is("stream", Namespace.streams) else {
            return refuse(.invalidNamespace, "it isn't a stream of XMPP")
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

    /// An element without children; nil where it is refused.
    private mutating func element(_ name: UnsafePointer<XML_Char>, _ attributes: ExpatAttributes.Pairs) -> Element? {
        let name = ExpatAttributes.bytes(name)
        let count = ExpatAttributes.count(attributes)
        guard count <= limits.attributes else {
            refuse(.policyViolation, "an element has more than \(limits.attributes) attributes")
            return nil
        }
        guard name.count <= limits.nameBytes,
            let values = ExpatAttributes.values(attributes, count, longestName: limits.nameBytes, &names)
        else {
            refuse(.policyViolation, "a name and its namespace have more than \(limits.nameBytes) bytes")
            return nil
        }
        let index = names.index(of: name)
        return Element(names[index].local, names[index].namespace, values, children: [])
    }

    /// Puts the text that is complete now into its element; false where that is refused.
    private mutating func completeText() -> Bool {
        if text.isEmpty { return true }
        guard countNode() else { return false }
        add(.text(String(decoding: text, as: UTF8.self)))
        text.removeAll(keepingCapacity: text.count <= 4_096)
        return true
    }

    private mutating func add(_ child: Element.Node) {
        guard let parent = open.indices.last else { return }
        // Most have more than one child here, and further down one or none.
        if parent == 0, open[0].children.isEmpty { open[0].children.reserveCapacity(4) }
        open[parent].children.append(child)
    }

    private mutating func countNode() -> Bool {
        nodes += 1
        if nodes <= limits.nodes { return true }
        refuse(.policyViolation, "an element has more than \(limits.nodes) elements and texts in it")
        return false
    }
}
