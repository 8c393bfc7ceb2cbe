import HeybotXMPP
import Testing

@Suite struct WritingTests {
    @Test(arguments: [
        (Element("a", "jabber:client"), "<a/>"), (Element("a", "x"), "<a xmlns='x'/>"),
        (Element("a", ""), "<a xmlns=''/>"), (Element("a", "x'<&\t>"), "<a xmlns='x&apos;&lt;&amp;&#x9;&gt;'/>"),
        (
            Element("a", "x", [:], Element("b", "x"), Element("c", "jabber:client", [:], Element("d", ""))),
            "<a xmlns='x'><b/><c xmlns='jabber:client'><d xmlns=''/></c></a>"
        ),
        (
            Element("a", "jabber:client", ["to": "1", "from": "2", "xml:lang": "de", "id": ""]),
            "<a from='2' id='' to='1' xml:lang='de'/>"
        ),
        (Element("a", "jabber:client", text: "b<c>&'\"]]>"), "<a>b&lt;c&gt;&amp;'\"]]&gt;</a>"),
        (Element("a", "jabber:client", text: "1\r\n2\t\r"), "<a>1&#xD;\n2\t&#xD;</a>"),
        (Element("a", "jabber:client", ["b": "'\"<>&\t\r\n"]), "<a b='&apos;\"&lt;&gt;&amp;&#x9;&#xD;&#xA;'/>"),
        (
            Element("a", "jabber:client", ["b": "\u{0}\u{fffe}1"], Element("c", "jabber:client", text: "\u{1f}\u{8}")),
            "<a b='1'><c></c></a>"
        ),
        (
            Element("a", "jabber:client", text: "\u{fffd}\u{0}1\u{ffff}\u{ff}\u{7f}\u{fffe}\u{feff}\u{1fffe}👍\u{b}"),
            "<a>\u{fffd}1\u{ff}\u{7f}\u{feff}\u{1fffe}👍</a>"
        )
    ])
    func `an element is written`(_ element: Element, _ xml: String) {
        #expect(element.description.utf8.elementsEqual(xml.utf8), "\(element)")
        var bytes: [UInt8] = [1]
        element.write(into: &bytes, inside: Namespace.client)
        #expect(bytes == [1] + Array(xml.utf8))
    }

    @Test func `a namespace is declared if it differs from the enclosing one`() {
        #expect(Element("a", "x").xml(inside: "x") == "<a/>")
        #expect(Element("a", "jabber:client").xml(inside: "x") == "<a xmlns='jabber:client'/>")
    }

    @Test(arguments: ["", "a b", "1", "-a", ".", "a>b", "a<", "a='", "a:b", "a/", "a\n", "&a", "\u{0}"])
    func `elements and attributes with invalid names are omitted`(_ name: String) {
        let element = Element(
            "a", "jabber:client", [name: "1", "b": "2"], Element(name, "jabber:client", text: "x"),
            Element("c", "jabber:client"))
        #expect(element.description == "<a b='2'><c/></a>")
    }

    @Test func `no attribute declares a namespace`() {
        #expect(Element("a", "jabber:client", ["xmlns": "x", "xmlns:b": "y"]).description == "<a/>")
    }

    @Test(arguments: ["a", "_", "A-1.b", "é", "日本"])
    func `elements and attributes with valid names are written`(_ name: String) {
        #expect(Element(name, "jabber:client", [name: "1"]).description == "<\(name) \(name)='1'/>")
    }
}
