import TestServers
import Testing

/// The splitting of a stream into elements.
@Suite struct XMLElementFramingTests {
    private static let stream = "<stream:stream to='x' xmlns='jabber:client'>"

    @Test(arguments: [
        ("<?xml version='1.0'?>\n\(stream)", [stream]),
        ("\(stream)<a/><b x='1'/>", [stream, "<a/>", "<b x='1'/>"]),
        ("\(stream)<a><a><b/>text</a></a><c>1 &lt; 2</c>", [stream, "<a><a><b/>text</a></a>", "<c>1 &lt; 2</c>"]),
        ("\(stream)<a b='/>' c=\"it's >\"><d e='<'/></a>", [stream, "<a b='/>' c=\"it's >\"><d e='<'/></a>"]),
        (
            "\(stream)<stream:features><b></b></stream:features></stream:stream>",
            [stream, "<stream:features><b></b></stream:features>", "</stream:stream>"]
        ),
        ("\(stream)<a/><?xml version='1.0'?>\(stream)<b/>", [stream, "<a/>", stream, "<b/>"]),
        ("\(stream) <a> </a>\n", [stream, " ", "<a> </a>", "\n"]),
        ("\(stream)<a>é 日本</a", [stream])
    ])
    func `elements are complete`(_ text: String, _ pieces: [String]) {
        var (whole, inBytes) = (XMLElementFraming(), XMLElementFraming())
        #expect(whole.split(Array(text.utf8)[...]) == pieces)
        #expect(text.utf8.flatMap { inBytes.split([$0]) } == pieces)
    }

    @Test func `attributes are those of the first tag`() {
        let xml = "<iq xml:id='0' id=\"a'b\" to='c'><q type='d'/></iq>"
        #expect(attribute("id", of: xml) == "a'b" && attribute("to", of: xml) == "c")
        #expect(attribute("type", of: xml) == nil)
        #expect(escaped("<\"a\" & 'b'>") == "&lt;&quot;a&quot; &amp; &apos;b&apos;&gt;")
    }
}
