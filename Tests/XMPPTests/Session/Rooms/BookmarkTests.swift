import Testing

@testable import HeybotXMPP

/// Bookmarks of rooms (XEP-0402), and forged ones.
@Suite struct BookmarkTests {
    private static let node = "node='\(Namespace.bookmarks)'"
    private static let me = "marvin@ship.org"
    private static let privately = [Namespace.publishOptions, Namespace.unlimitedItems]
        .map { "<info:feature var='\($0)'/>" }.joined()
    private static let unavailable =
        "* the server can't store bookmarks for the account only, so the robot stores none\n"
    private static let tea = """
        <bookmarks:conference autojoin='true' name='Tea'><bookmarks:nick>m</bookmarks:nick></bookmarks:conference>
        """
    /// What the robot stores for the room of ``invited(from:)``.
    private static let milk = """
        <bookmarks:conference autojoin='true'><bookmarks:nick>marvin</bookmarks:nick>\
        <bookmarks:password>milk</bookmarks:password></bookmarks:conference>
        """

    /// A session up to the query of the account's features.
    private func stage(joins: Bool = true) -> TranscriptPlayer {
        var profile = SessionConfiguration.marvin
        profile.usesBookmarks = true
        var stage = TranscriptPlayer(profile)
        stage.session.joinsBookmarks = joins
        stage.play(
            loggedIn + """
                > <iq type='get' id='{1}' to='\(Self.me)'><info:query/></iq>
                * logged in as marvin@ship.org/r1, in no room
                . ready
                """)
        return stage
    }

    private func features(_ features: String, from sender: String = Self.me) -> String {
        "< <iq type='result' id='{1}' from='\(sender)'><info:query>\(features)</info:query></iq>\n"
    }

    private static let query =
        "> <iq type='get' id='{2}' to='\(me)'><pubsub:pubsub><pubsub:items \(node)/></pubsub:pubsub></iq>\n"

    private func list(_ items: (String, String)..., from sender: String = Self.me) -> String {
        let all = items.map { "<pubsub:item id='\($0)'>\($1)</pubsub:item>" }.joined()
        return "< <iq type='result' id='{2}' from='\(sender)'><pubsub:pubsub><pubsub:items \(Self.node)>\(all)"
            + "</pubsub:items></pubsub:pubsub></iq>\n"
    }

    private static let nothing =
        "< <iq type='error' id='{2}' from='\(me)'><error type='cancel'><stanzas:item-not-found/></error></iq>\n"

    private func knock(_ room: String, password: String? = nil) -> String {
        let words = password.map { "<muc:password>\($0)</muc:password>" } ?? ""
        return XMPPTests.knock.replacing("dev@muc.ship.org", with: room).replacing("<muc:x>", with: "<muc:x>" + words)
    }

    private func welcome(_ room: String) -> String {
        XMPPTests.welcome.replacing("dev@muc.ship.org", with: room) + "* joined \(room) as marvin\n"
    }

    /// An invitation to `tea@muc.b.org`, and the join.
    private func invited(from first: Int) -> String {
        "< <message from='bob@b.org/x'><direct:x jid='tea@muc.b.org' password='milk'/></message>\n"
            + "* bob@b.org/x invited me to tea@muc.b.org\n" + discovery(of: "muc.b.org", from: first)
            + knock("tea@muc.b.org", password: "milk") + welcome("tea@muc.b.org")
    }

    private func stored(_ room: String, _ conference: String, id: Int) -> String {
        let fields = [
            ("FORM_TYPE", Namespace.publishOptions), ("pubsub#persist_items", "true"), ("pubsub#max_items", "max"),
            ("pubsub#send_last_published_item", "never"), ("pubsub#access_model", "whitelist")
        ]
        let options = fields.map { "<data:field var='\($0)'><data:value>\($1)</data:value></data:field>" }.joined()
        return "> <iq type='set' id='{\(id)}' to='\(Self.me)'><pubsub:pubsub><pubsub:publish \(Self.node)>"
            + "<pubsub:item id='\(room)'>\(conference)</pubsub:item></pubsub:publish><pubsub:publish-options>"
            + "<data:x type='submit'>\(options)</data:x></pubsub:publish-options></pubsub:pubsub></iq>\n"
    }

    private func removed(_ room: String, id: Int) -> String {
        "> <iq type='set' id='{\(id)}' to='\(Self.me)'><pubsub:pubsub><pubsub:retract \(Self.node) notify='true'>"
            + "<pubsub:item id='\(room)'/></pubsub:retract></pubsub:pubsub></iq>\n"
    }

    private func leave(_ room: String, _ stage: inout TranscriptPlayer) {
        stage.act { session, now in session.leave(jid(room), at: now) ?? [] }
    }

    // MARK: Storing

    @Test func `a room by invitation is stored for the account only, and removed when the robot leaves`() {
        var stage = stage()
        stage.play(
            features(Self.privately) + Self.query + Self.nothing + invited(from: 3)
                + stored("tea@muc.b.org", Self.milk, id: 5) + "< <iq type='result' id='{5}' from='\(Self.me)'/>\n")
        leave("tea@muc.b.org", &stage)
        stage.play(
            "* left tea@muc.b.org: on request\n> <presence type='unavailable' to='tea@muc.b.org/marvin'/>\n"
                + removed("tea@muc.b.org", id: 6))
    }

    @Test func `what others have stored in a bookmark stays`() {
        var stage = stage()
        let conference = """
            <bookmarks:conference name='Tea'><bookmarks:extensions><data:x/></bookmarks:extensions>\
            </bookmarks:conference>
            """
        stage.play(
            features(Self.privately) + Self.query + list(("tea@muc.b.org", conference)) + invited(from: 3)
                + stored(
                    "tea@muc.b.org", conference.replacing("name='Tea'", with: "name='Tea' autojoin='true'"), id: 5))
    }

    @Test func `a failure is logged, and isn't repeated`() {
        var stage = stage()
        stage.play(
            features(Self.privately) + Self.query + Self.nothing
                + invited(from: 3) + stored("tea@muc.b.org", Self.milk, id: 5) + """
                    < <iq type='error' id='{5}' from='\(Self.me)'><error type='cancel'><stanzas:conflict/></error></iq>
                    * the server hasn't changed the bookmark of tea@muc.b.org: conflict
                    """)
    }

    @Test(arguments: [
        "", "<info:feature var='http://jabber.org/protocol/pubsub#publish'/>",
        "<info:feature var='urn:xmpp:bookmarks:1#compat'/>", "<info:feature var='\(Namespace.publishOptions)'/>",
        "<info:feature var='\(Namespace.unlimitedItems)'/>"
    ])
    func `a server that could show bookmarks to others gets none`(_ available: String) {
        var stage = stage()
        stage.play(features(available) + Self.unavailable + invited(from: 2))
    }

    // MARK: Joining

    @Test func `at the start, the rooms that clients join by themselves are joined, and stay when they refuse`() {
        var stage = stage()
        stage.play(
            features(Self.privately) + Self.query
                + list(
                    ("tea@muc.b.org", Self.tea), ("ale@muc.b.org", "<bookmarks:conference/>"),
                    ("muc.b.org", Self.tea), ("milk@muc.b.org/x", Self.tea), ("rum@ship.org", Self.tea),
                    ("@", Self.tea))
                + discovery(of: "muc.b.org", from: 3) + knock("tea@muc.b.org") + """
                    < <presence type='error' from='tea@muc.b.org/marvin'><error type='auth'><stanzas:forbidden/></error></presence>
                    * can't join tea@muc.b.org: the robot is banned; retrying

                    """)
        #expect(stage.session.wantedRooms.map(\.address) == [jid("tea@muc.b.org")])
        #expect(!stage.session.joinsBookmarks)
    }

    @Test func `leaving a room of the bookmarks removes it there`() {
        var stage = stage()
        stage.play(
            features(Self.privately) + Self.query + list(("tea@muc.b.org", Self.tea))
                + discovery(of: "muc.b.org", from: 3) + knock("tea@muc.b.org") + welcome("tea@muc.b.org"))
        leave("tea@muc.b.org", &stage)
        stage.play(
            "* left tea@muc.b.org: on request\n> <presence type='unavailable' to='tea@muc.b.org/marvin'/>\n"
                + removed("tea@muc.b.org", id: 5))
    }

    @Test func `later sessions join nothing, and remove nothing that they don't know`() {
        var stage = stage(joins: false)
        stage.play(features(Self.privately) + Self.query + list(("tea@muc.b.org", Self.tea)))
        #expect(stage.session.wantedRooms == [])
    }

    @Test func `at most fifty rooms are joined`() {
        var stage = stage()
        let many = (0..<60).map { "<pubsub:item id='r\($0)@muc.b.org'>\(Self.tea)</pubsub:item>" }.joined()
        stage.play(
            features(Self.privately) + Self.query
                + "< <iq type='result' id='{2}' from='\(Self.me)'><pubsub:pubsub><pubsub:items \(Self.node)>\(many)"
                + "</pubsub:items></pubsub:pubsub></iq>\n> <iq type='get' id='{3}' to='ship.org'><items:query/></iq>\n"
                + "> <iq type='get' id='{4}' to='muc.b.org'><info:query/></iq>")
        #expect(stage.session.wantedRooms.count == 50)
    }

    @Test func `only the account's own server is believed`() {
        var stage = stage()
        let items = list(("tea@muc.e.org", Self.tea), from: "eve@e.org")
        stage.play(
            features(Self.privately, from: "eve@e.org") + items + features(Self.privately) + Self.query + items + """
                < <message from='eve@e.org' type='headline'><x/></message>
                < <message from='eve@e.org'><pubsub:event><pubsub:items \(Self.node)><pubsub:item id='tea@muc.e.org'>\(Self.tea)</pubsub:item></pubsub:items></pubsub:event></message>

                """ + Self.nothing)
        #expect(stage.session.wantedRooms == [])
    }
}
