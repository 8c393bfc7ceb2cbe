import Foundation
import HeybotSupport
import Testing

@testable import HeybotXMPP

/// IQ requests in both directions.
@Suite struct RequestTests {
    private func ask(_ stage: inout TranscriptPlayer, to: String? = nil, within limit: Duration? = nil) {
        stage.act { session, now in
            session.ask(
                Element("query", Namespace.roster), to: to.map { jid($0) }, as: "question", within: limit, at: now)
        }
    }

    // MARK: Incoming requests

    @Test func `requests are answered`() {
        play(
            alone + """
                < <iq type='get' id='1' from='bob@b.org/x'><ping:ping/></iq>
                > <iq type='result' id='1' to='bob@b.org/x'/>
                < <iq type='get' id='2' from='ship.org'><ping:ping/></iq>
                > <iq type='result' id='2' to='ship.org'/>
                < <iq type='get' id='3'><ping:ping/></iq>
                > <iq type='result' id='3'/>
                < <iq type='get' id='4' from='bob@b.org/x'><version:query/></iq>
                > <iq type='result' id='4' to='bob@b.org/x'><version:query><version:name>Heybot</version:name><version:version>Heybot</version:version></version:query></iq>
                < <iq type='get' id='5' from='bob@b.org/x'><items:query/></iq>
                > <iq type='result' id='5' to='bob@b.org/x'><items:query/></iq>
                < <iq type='get' id='6' from='bob@b.org/x'><info:query node='none'/></iq>
                > <iq type='error' id='6' to='bob@b.org/x'><error type='cancel'><stanzas:item-not-found/></error></iq>
                < <iq type='get' id='6' from='bob@b.org/x'><items:query node='none'/></iq>
                > <iq type='error' id='6' to='bob@b.org/x'><error type='cancel'><stanzas:item-not-found/></error></iq>
                < <iq type='set' id='7' from='bob@b.org/x'><ping:ping/></iq>
                > <iq type='error' id='7' to='bob@b.org/x'><error type='cancel'><stanzas:service-unavailable/></error></iq>
                < <iq type='get' id='8' from='bob@b.org/x'/>
                > <iq type='error' id='8' to='bob@b.org/x'><error type='modify'><stanzas:bad-request/></error></iq>
                < <iq type='get' from='bob@b.org/x'><ping:ping/></iq>
                < <iq type='odd' id='9' from='bob@b.org/x'><ping:ping/></iq>
                < <iq type='get' id='9' from='@'><ping:ping/></iq>
                """)
    }

    @Test func `time queries are answered`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone + "< <iq type='get' id='1' from='bob@b.org/x'><time:time/></iq>\n@ bob@b.org/x")
        let iq = Element("iq", Namespace.client, ["id": "1", "from": "bob@b.org/x"])
        stage.act { session, _ in session.tell(time: "2026-11-21T19:00:00Z", to: iq) }
        stage.play(
            "> <iq type='result' id='1' to='bob@b.org/x'><time:time><time:tzo>+00:00</time:tzo><time:utc>2026-11-21T19:00:00Z</time:utc></time:time></iq>"
        )
    }

    /// XEP-0115 section 5.1, computed from the answer.
    @Test func `the announced hash matches the answer to a feature query`() throws {
        let caps = try #require(
            Session(.marvin, isSecure: true, nonce: TranscriptPlayer.nonce, at: .zero).presence.first(
                "c", Namespace.caps))
        let (node, hash) = (try #require(caps["node"]), try #require(caps["ver"]))
        let info = try #require(
            EntityCapabilities.info(Element("query", Namespace.discoInfo, ["node": "\(node)#\(hash)"])))
        #expect(info["node"] == "\(node)#\(hash)")
        let identities = info.all("identity", Namespace.discoInfo).map {
            "\($0["category"] ?? "")/\($0["type"] ?? "")/\($0["xml:lang"] ?? "")/\($0["name"] ?? "")<"
        }
        let features = info.all("feature", Namespace.discoInfo).map { ($0["var"] ?? "") + "<" }
        func sorted(_ texts: [String]) -> String {
            texts.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.joined()
        }
        let digest = CryptographicHash.sha1.hash((sorted(identities) + sorted(features)).utf8)
        #expect(Data(digest).base64EncodedString() == hash)
        #expect(caps["hash"] == "sha-1" && Set(features).count == features.count && !features.isEmpty)
    }

    @Test func `roster pushes are accepted only from the account itself`() {
        let push = "<roster:query><roster:item jid='eve@e.org'/></roster:query></iq>\n"
        play(
            alone + "< <iq type='set' id='1'>" + push + "> <iq type='result' id='1'/>\n"
                + "< <iq type='set' id='2' from='marvin@ship.org'>" + push
                + "> <iq type='result' id='2' to='marvin@ship.org'/>\n"
                + "< <iq type='set' id='3' from='eve@e.org/x'>" + push
                + "> <iq type='error' id='3' to='eve@e.org/x'><error type='cancel'><stanzas:service-unavailable/></error></iq>"
        )
    }

    @Test(arguments: ["block", "unblock"])
    func `changes of the block list are accepted only from the account itself`(_ change: String) {
        let push = "<blocking:\(change)><blocking:item jid='eve@e.org'/></blocking:\(change)></iq>\n"
        play(
            alone + "< <iq type='set' id='1'>" + push + "> <iq type='result' id='1'/>\n"
                + "< <iq type='set' id='2' from='marvin@ship.org'>" + push
                + "> <iq type='result' id='2' to='marvin@ship.org'/>\n"
                + "< <iq type='set' id='3' from='eve@e.org/x'>" + push
                + "> <iq type='error' id='3' to='eve@e.org/x'><error type='cancel'><stanzas:service-unavailable/></error></iq>"
        )
    }

    @Test func `requests are rate-limited, except those of the account's server`() throws {
        let session = play(alone)
        func answers(_ from: String) throws -> Int {
            var session = session
            let event = try #require(TranscriptPlayer.event("<iq type='get' id='1' from='\(from)'><ping:ping/></iq>"))
            return (0..<1_000).reduce(0) { count, _ in count + session.receive(event, at: .seconds(1)).count }
        }
        #expect(try answers("eve@e.org/x") == 20)
        #expect(try answers("ship.org") == 1_000)
    }

    // MARK: Outgoing requests

    @Test func `responses with and without a payload`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        ask(&stage)
        stage.play(
            """
            > <iq type='get' id='{1}'><roster:query/></iq>
            < <iq type='result' id='{1}'><roster:query ver='1'/></iq>
            ? question: <query xmlns='jabber:iq:roster' ver='1'/>
            < <iq type='result' id='{1}'/>
            """)
        ask(&stage, to: "bob@b.org/x")
        stage.play(
            "> <iq type='get' id='{2}' to='bob@b.org/x'><roster:query/></iq>\n< <iq type='result' id='{2}' from='bob@b.org/x'/>\n? question: yes"
        )
        ask(&stage, to: "bob@b.org/x")
        stage.play(
            """
            > <iq type='get' id='{3}' to='bob@b.org/x'><roster:query/></iq>
            < <iq type='error' id='{3}' from='bob@b.org/x'><roster:query/><error type='auth'><stanzas:forbidden/><stanzas:text>No</stanzas:text></error></iq>
            ? question: auth forbidden: No
            """)
    }

    @Test(
        arguments: [
            (nil, [nil, "ship.org", "marvin@ship.org", "marvin@ship.org/r1"]), ("ship.org", ["ship.org", nil]),
            ("marvin@ship.org", ["marvin@ship.org", "marvin@ship.org/r1", "ship.org", nil]),
            ("bob@b.org/x", ["bob@b.org/x"]),
            ("muc.ship.org", ["muc.ship.org"])
        ] as [(String?, [String?])])
    func `only the addressee can respond`(_ asked: String?, _ mayAnswer: [String?]) {
        func answer(_ from: String?) -> String {
            "< <iq type='result' id='{1}'" + (from.map { " from='\($0)'" } ?? "") + "/>\n"
        }
        let all = [
            nil, "ship.org", "marvin@ship.org", "marvin@ship.org/r1", "bob@b.org/x", "bob@b.org", "bob@b.org/y",
            "b.org", "muc.ship.org", "eve@ship.org"
        ]
        let others = all.filter { other in
            !mayAnswer.contains(other) && !(asked == "ship.org" && other == "marvin@ship.org")
        }
        for one in mayAnswer {
            var stage = TranscriptPlayer(.marvin)
            stage.play(alone)
            ask(&stage, to: asked)
            stage.play(
                "> <iq type='get' id='{1}'" + (asked.map { " to='\($0)'" } ?? "") + "><roster:query/></iq>\n"
                    + others.map(answer).joined() + answer(one) + "? question: yes")
        }
    }

    @Test func `requests time out`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone)
        ask(&stage, to: "bob@b.org/x")
        ask(&stage, to: "bob@b.org/x", within: .seconds(1))
        stage.play(
            """
            > <iq type='get' id='{1}' to='bob@b.org/x'><roster:query/></iq>
            > <iq type='get' id='{2}' to='bob@b.org/x'><roster:query/></iq>
            + 999
            + 1
            ? question: wait remote-server-timeout
            + 28999
            + 1
            ? question: wait remote-server-timeout
            < <iq type='result' id='{1}' from='bob@b.org/x'/>
            """)
    }

    @Test func `requests that can't be sent fail`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play("> <stream:stream to='ship.org' from='marvin@ship.org'>")
        ask(&stage)
        stage.play("? question: wait not-connected")
        var session = play(alone)
        let query = Element("query", Namespace.roster)
        for index in 0..<1_000 {
            let actions = session.ask(query, to: nil, as: "\(index)", at: .zero)
            guard case .send = actions.first else { return #expect(Bool(false), "\(actions)") }
        }
        #expect(
            session.ask(query, to: nil, as: "x", at: .zero)
                == [.answer("x", .failure(StanzaError(type: "wait", condition: .resourceConstraint)))])
        let late = session.tick(at: .seconds(30)).compactMap { if case .answer(let name, _) = $0 { name } else { nil } }
        #expect(late == (0..<1_000).map { "\($0)" })
    }

    // MARK: Pings

    @Test(arguments: [
        "<iq type='result' id='{1}'/>",
        "<iq type='error' id='{1}'><error type='cancel'><stanzas:service-unavailable/></error></iq>",
        "<presence from='bob@b.org'/>", "<iq type='result' id='unknown' from='eve@e.org'/>"
    ])
    func `any response shows that the server is there`(_ answer: String) {
        play(
            alone + """
                + 59999
                + 1
                > <iq type='get' id='{1}'><ping:ping/></iq>
                + 29999
                < \(answer)
                + 59999
                """)
    }

    @Test func `without a response to a ping the session ends`() {
        play(
            alone
                + "+ 60000\n> <iq type='get' id='{1}'><ping:ping/></iq>\n+ 29999\n+ 1\nx ping timeout: the server stopped responding"
        )
    }

    @Test func `silence doesn't count while reading is paused`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(alone + "+ 30000")
        stage.session.pause(at: stage.now)
        stage.play("+ 100000")
        stage.session.resume(at: stage.now)
        stage.play("+ 29999\n+ 1\n> <iq type='get' id='{1}'><ping:ping/></iq>")
    }
}
