import HeybotXMPP
import Testing

@Suite struct ElementTests {
    private let iq = Element(
        "iq", Namespace.client, ["type": "result", "id": "1"],
        Element(
            "query", "http://jabber.org/protocol/disco#info", [:],
            Element("identity", "http://jabber.org/protocol/disco#info", ["category": "client", "type": "bot"]),
            Element("feature", "http://jabber.org/protocol/disco#info", ["var": "urn:xmpp:ping"]),
            Element("feature", "http://jabber.org/protocol/disco#info", ["var": "jabber:iq:version"]),
            Element("feature", "urn:other", ["var": "no"])))

    @Test func `children are found by name and namespace`() throws {
        let query = try #require(iq.first("query", "http://jabber.org/protocol/disco#info"))
        #expect(query.is("query", "http://jabber.org/protocol/disco#info"))
        #expect(!query.is("query", Namespace.client))
        #expect(query.all("feature", query.namespace).map { $0["var"] } == ["urn:xmpp:ping", "jabber:iq:version"])
        #expect(query.elements.map(\.name) == ["identity", "feature", "feature", "feature"])
        #expect(query.has("feature", "urn:other"))
        #expect(!query.has("identity", "urn:other"))
        #expect(iq.first("query", Namespace.client) == nil)
        #expect(iq.all("feature", query.namespace) == [])
    }

    @Test func `attributes are read, set and removed`() {
        var element = Element("presence", Namespace.client, ["to": "a"])
        #expect(element["to"] == "a")
        #expect(element["from"] == nil)
        element["from"] = "b"
        element["to"] = nil
        #expect(element.attributes == ["from": "b"])
    }

    @Test func `the text of an element excludes its child elements`() {
        let body = Element(
            "body", "x", children: [.text("one "), .element(Element("i", "x", text: "not this")), .text("two")])
        #expect(body.text == "one two")
        #expect(Element("body", "x").text == "")
        #expect(Element("body", "x", text: "").children == [])
    }

    @Test func `an element is appended`() {
        var element = Element("a", "x", text: "b")
        element.append(Element("c", "x"))
        #expect(element.children == [.text("b"), .element(Element("c", "x"))])
    }
}
