import Testing

@testable import HeybotXMPP

/// Acknowledgements (XEP-0198).
@Suite struct StreamManagementTests: StreamManagementTranscripts {
    @Test func `the server is asked again as soon as it has answered, and gets an answer`() {
        play(
            aloneCounted + """
                ! bob@b.org: 1
                > <message to='bob@b.org' type='chat'><body>1</body></message>
                > <sm:r/>
                ! bob@b.org: 2
                > <message to='bob@b.org' type='chat'><body>2</body></message>
                < <sm:a h='2'/>
                > <sm:r/>
                < <sm:a h='3'/>
                < <sm:a/>
                < <sm:a h='-1'/>
                < <sm:r/>
                > <sm:a h='0'/>
                < <message from='bob@b.org/x'><body>Hi</body></message>
                = bob@b.org/x privately: Hi
                < <presence from='@'/>
                < <iq type='result' id='unknown'/>
                < <stream:features/>
                < <sm:r/>
                > <sm:a h='3'/>
                """)
    }

    @Test func `a skipped stanza counts as handled`() {
        let many = (0..<65).map { " a\($0)=''" }.joined()
        play(
            aloneCounted + """
                < <message from='bob@b.org/x'\(many)/>
                * a stanza from bob@b.org/x was skipped: an element has more than 64 attributes
                < <sm:r/>
                > <sm:a h='1'/>
                """)
    }

    @Test func `a server that doesn't count after all, or was never asked to, gets no answers`() {
        play(Self.counted(alone) + "< <sm:failed/>\n< <sm:r/>\n< <sm:a h='7'/>")
        play(alone + Self.enabled + "< <sm:r/>\n< <sm:a h='7'/>\n< <sm:r/>")
    }

    /// Also one that takes back an earlier one.
    @Test(arguments: [9, 0]) func `an acknowledgement of what was never sent ends the stream`(_ count: Int) {
        let session = play(aloneCounted + "< <sm:a h='\(count)'/>\n" + Self.refusal(of: count))
        #expect(!session.isResumable)
    }

    @Test func `the counts begin again at zero after 2^32 stanzas`() {
        var stage = TranscriptPlayer(.marvin)
        stage.play(aloneCounted)
        stage.session.streamManagement.acknowledged = .max
        stage.session.streamManagement.handled = .max
        stage.play(
            """
            ! bob@b.org: 1
            > <message to='bob@b.org' type='chat'><body>1</body></message>
            > <sm:r/>
            < <sm:a h='0'/>
            < <presence from='bob@b.org/x'/>
            < <sm:r/>
            > <sm:a h='0'/>
            """)
        #expect(stage.session.streamManagement.repeatableMessages == [])
    }

    @Test func `a server that acknowledges nothing doesn't fill the memory`() {
        var management = StreamManagement()
        management.request()
        management.enable(Element("enabled", Namespace.streamManagement, ["id": "s1", "resume": "true"]))
        #expect(management.id == "s1")
        for _ in 0...4_000 { _ = management.recordSent(Element("presence", Namespace.client)) }
        #expect(management.id == nil)
        #expect(!management.isActive)
        // Its own stanzas are acknowledged nevertheless.
        #expect(management.isOn)
        let isRight = management.acknowledge(4_000)
        #expect(isRight)
    }
}
