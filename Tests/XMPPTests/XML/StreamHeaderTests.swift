import HeybotXMPP
import Testing

@Suite struct StreamHeaderTests {
    @Test func `a client's header is written`() {
        #expect(
            StreamHeader(to: "example.org", from: "bot@example.org").xml
                == "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams' to='example.org' from='bot@example.org' "
                + "version='1.0' xml:lang='en'>")
        #expect(
            StreamHeader(to: "a'b", version: nil, lang: nil).xml
                == "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams' to='a&apos;b'>")
    }

    @Test(arguments: [
        StreamHeader(to: "example.org"), StreamHeader(to: "a", from: "b", id: "<'&\"\t>", version: "1.1", lang: "de"),
        StreamHeader(version: nil, lang: nil, namespace: "jabber:server"), StreamHeader(namespace: "a b"),
        StreamHeader(namespace: "")
    ])
    func `a written header is parsed`(_ header: StreamHeader) {
        let reading = ParseResult((header.xml + StreamHeader.closing).utf8)
        #expect(reading.failure == nil)
        #expect(reading.events == [.open(header), .close])
    }

    @Test(arguments: [
        (
            "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'>",
            StreamHeader(version: nil, lang: nil, namespace: "")
        ),
        (
            "<stream xmlns='http://etherx.jabber.org/streams' version='1.0' a:id='no' xmlns:a='x' id='yes'>",
            StreamHeader(id: "yes", lang: nil, namespace: Namespace.streams)
        ),
        (
            "\u{feff}<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<s:stream xmlns:s="
                + "\"http://etherx.jabber.org/streams\" xmlns=\"jabber:client\" xml:lang='de' >",
            StreamHeader(version: nil, lang: "de")
        )
    ])
    func `a header is parsed in any form`(_ xml: String, _ header: StreamHeader) {
        #expect(ParseResult(xml.utf8).events == [.open(header)])
        #expect(ParseResult.slowly(xml.utf8).events == [.open(header)])
    }
}
