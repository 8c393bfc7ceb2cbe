import Testing

@testable import HeybotXMPP

/// Files that are sent with messages (XEP-0447, XEP-0446, XEP-0066), in both directions.
@Suite struct SharedFileTests {
    private static let url = "https://ship.org/a/chart.png"
    private static let digest = "A5BYxvLAy0ksUzsKTRTvd8wPeKvMztUofYShogEc+4E="
    private static let metadata = """
        <file:media-type>image/png</file:media-type><file:name>chart.png</file:name><file:size>3</file:size>\
        <hash:hash algo='sha-256'>\(digest)</hash:hash><file:desc>Sales</file:desc>
        """

    private static func sharing(_ sources: String, _ facts: String = SharedFileTests.metadata) -> String {
        "<sfs:file-sharing><file:file>\(facts)</file:file><sfs:sources>\(sources)</sfs:sources></sfs:file-sharing>"
    }

    private static func source(_ url: String) -> String { "<url:url-data target='\(url)'/>" }

    private static let chart = sharing(source(url))
    private static let link = "<oob:x><oob:url>\(url)</oob:url></oob:x>"
    private let dev = "dev@muc.ship.org"

    /// Reads an element.
    private func read(_ sharing: String) throws -> SharedFile? {
        let event = try #require(TranscriptPlayer.event(sharing))
        guard case .element(let element) = event else { return nil }
        return SharedFile(element)
    }

    // MARK: Receiving

    @Test func `a file is heard once, with its description, and its URL is the text`() {
        let facts = "\(Self.url) (chart.png, image/png, 3, \(Self.digest), Sales)"
        let fallback = "<fallback:fallback for='urn:xmpp:sfs:0'><fallback:body/></fallback:fallback>"
        func told(_ xml: String) -> String { "< <message from='bob@b.org/x'>\(xml)</message>\n" }
        func said(_ xml: String) -> String {
            "< <message type='groupchat' from='\(dev)/ann' id='m1'>\(xml)</message>\n"
        }
        let body = "<body>\(Self.url)</body>"
        let heard = "= bob@b.org/x privately: \(Self.url) with \(facts)\n"
        let transcript: [String] = [
            inDev, told(body + Self.chart + Self.link), heard, told(Self.link + Self.chart + body), heard,
            told(body + Self.chart + fallback), heard, told(Self.chart), heard,
            told("<body>Look</body>" + Self.chart), "= bob@b.org/x privately: Look with \(facts)\n",
            said(Self.chart), "= \(dev) ann (ann@ship.org): \(Self.url) with \(facts)\n"
        ]
        play(.inDev(), transcript.joined())
    }

    @Test func `a reaction or a retraction with a file isn't a text`() {
        play(
            alone + """
                < <message from='bob@b.org/x'><retract:retract id='s1'/>\(Self.chart)</message>
                = bob@b.org/x privately retracts s1 with \(Self.url) (chart.png, image/png, 3, \(Self.digest), Sales)
                < <message from='bob@b.org/x'>\(Self.sharing(""))</message>
                """)
    }

    @Test func `only the first sources of a file are read`() throws {
        let other = "<url:other/>"
        let usable = Self.source(Self.url)
        #expect(try read(Self.sharing(String(repeating: other, count: 9) + usable))?.url == Self.url)
        #expect(try read(Self.sharing(String(repeating: other, count: 10) + usable)) == nil)
        let many = (1...1_000).map { Self.source("https://ship.org/\($0)") }.joined()
        #expect(try read(Self.sharing(many))?.url == "https://ship.org/1")
    }

    @Test(
        arguments: [
            ("https://a.org/1", "https://a.org/1"), ("javascript:alert(1)", nil), ("file:///etc/passwd", nil),
            ("", nil),
            ("https://a.org/1 2", nil), ("https://a.org/&#10;2", nil),
            ("https://a.org/" + String(repeating: "x", count: 2_048), nil)
        ] as [(String, String?)])
    func `a source must be a URL of the web`(_ source: String, _ url: String?) throws {
        #expect(try read(Self.sharing(Self.source(source)))?.url == url)
    }

    @Test func `a URL without TLS counts only if the content can be verified`() throws {
        let open = Self.source("http://a.org/1")
        #expect(try read(Self.sharing(open))?.url == "http://a.org/1")
        #expect(try read(Self.sharing(open, "<file:name>a</file:name>")) == nil)
        #expect(try read(Self.sharing(open, "<hash:hash algo='sha-1'>\(Self.digest)</hash:hash>")) == nil)
        #expect(try read(Self.sharing(open, "<hash:hash algo='sha-256'>AAAA</hash:hash>")) == nil)
        #expect(try read(Self.sharing(open + Self.source("https://a.org/2")))?.url == "https://a.org/2")
    }

    @Test(
        arguments: [
            ("0", 0), ("9007199254740991", 9_007_199_254_740_991), ("9007199254740992", nil), ("-1", nil), ("1e3", nil),
            ("99999999999999999999999999", nil), ("", nil), ("many", nil)
        ] as [(String, Int?)])
    func `a size that is negative or huge is left out`(_ text: String, _ size: Int?) throws {
        let file = try #require(try read(Self.sharing(Self.source(Self.url), "<file:size>\(text)</file:size>")))
        #expect(file.size == size)
    }

    @Test(
        arguments: [
            ("chart.png", "chart.png"), ("../../etc/passwd", ".._.._etc_passwd"), ("C:\\a.txt", "C:_a.txt"),
            ("..", nil),
            (" ", nil), ("", nil), ("a\u{202e}gnp.exe", "agnp.exe"), ("a&#10;b", "a b")
        ] as [(String, String?)])
    func `a name has no folders and nothing invisible`(_ text: String, _ name: String?) throws {
        let file = try #require(try read(Self.sharing(Self.source(Self.url), "<file:name>\(text)</file:name>")))
        #expect(file.name == name)
    }

    @Test func `at most ten files of a message are heard`() throws {
        var session = play(alone)
        let files = (1...100).map { Self.sharing(Self.source("https://ship.org/\($0)")) }.joined()
        let xml = "<message from='bob@b.org/x'><body>Hi</body>\(files)</message>"
        let event = try #require(TranscriptPlayer.event(xml))
        guard case .hear(let heard)? = session.receive(event, at: .zero).first else {
            Issue.record("nothing was heard")
            return
        }
        #expect(heard.files.map(\.url) == (1...10).map { "https://ship.org/\($0)" })
    }

    // MARK: Sending

    private static let sent = SharedFile(
        url: url, name: "chart.png", type: "image/png", size: 3, sha256: digest, summary: "Sales")

    @Test func `the digest is that of the content`() {
        #expect(SharedFile.digest(of: [1, 2, 3]) == Self.digest)
    }

    @Test func `a file is sent with its description, and with its URL for older clients`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        stage.act { session, now in
            var message = OutgoingMessage(to: jid("bob@b.org"), Self.url, since: now)
            message.files = [Self.sent]
            return session.say([message], at: now)
        }
        let description = """
            <sfs:file-sharing><file:file><file:media-type>image/png</file:media-type><file:name>chart.png</file:name>\
            <file:size>3</file:size><hash:hash algo='sha-256'>\(Self.digest)</hash:hash><file:desc>Sales</file:desc>\
            </file:file><sfs:sources><url:url-data target='\(Self.url)'/></sfs:sources></sfs:file-sharing>
            """
        stage.play(
            "> <message to='bob@b.org' type='chat'><body>\(Self.url)</body>\(description)\(Self.link)</message>\n")
    }

    @Test func `what is sent can be read`() throws {
        let sharing = try #require(Self.sent.elements.first)
        #expect(SharedFile(sharing) == Self.sent)
        let plain = SharedFile(url: Self.url)
        let link = try #require(plain.elements.first)
        #expect(SharedFile(link) == plain)
    }

    @Test func `of a long text only the first part has the files`() {
        var session = play(alone)
        var message = OutgoingMessage(to: jid("bob@b.org"), String(repeating: "word ", count: 3_000))
        message.files = [Self.sent]
        var sent: [Element] = []
        for case .send(let element) in session.say([message], at: .zero) where element.name == "message" {
            sent.append(element)
        }
        #expect(sent.first?.has("file-sharing", Namespace.fileSharing) == true)
        #expect(sent.dropFirst().allSatisfy { !$0.has("file-sharing", Namespace.fileSharing) })
        #expect(session.unsent.allSatisfy { $0.files.isEmpty })
    }
}
