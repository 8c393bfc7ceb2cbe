import HeybotXMPP
import Testing

@Suite struct RefusalTests {
    private static let bare =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"

    /// Without the stream's opening tag.
    @Test(
        arguments: [
            ("<!DOCTYPE stream>" + bare + ">", .restrictedXML), ("<!DOCTYPE a [<!ENTITY b 'c'>]>", .restrictedXML),
            ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>", .restrictedXML), ("<!-- a -->" + bare + ">", .restrictedXML),
            ("<?php a?>" + bare + ">", .restrictedXML),
            ("<?xml version='1.0' encoding='ISO-8859-1'?>" + bare + ">", .unsupportedEncoding),
            ("<?xml version='1.0' encoding='UTF-16'?>" + bare + ">", .unsupportedEncoding),
            ("<stream xmlns='jabber:client'>", .invalidNamespace), ("<stream>", .invalidNamespace),
            ("<stream:stream xmlns:stream='http://etherx.jabber.org/stream'>", .invalidNamespace),
            ("<stream:Stream xmlns:stream='http://etherx.jabber.org/streams'>", .invalidNamespace),
            ("<message xmlns='http://etherx.jabber.org/streams'/>", .invalidNamespace),
            ("<stream:stream>", .notWellFormed), ("hello", .notWellFormed),
            ("HTTP/1.1 400 Bad Request\r\n", .notWellFormed),
            ("\u{0}", .unsupportedEncoding), ("<\u{0}s\u{0}", .unsupportedEncoding),
            ("</stream:stream>", .notWellFormed),
            (bare + " to='a' to='b'>", .notWellFormed), (bare + " a='&b;'>", .restrictedXML)
        ] as [(String, StreamParserError.Condition)])
    func `invalid beginnings of a stream`(_ xml: String, _ condition: StreamParserError.Condition) {
        for reading in [ParseResult(xml.utf8), .slowly(xml.utf8)] {
            #expect(reading.failure?.condition == condition, "\(xml)")
            #expect(reading.events == [], "\(xml)")
        }
    }

    @Test(
        arguments: [
            [0xff, 0xfe, 0x3c, 0x00], [0xfe, 0xff, 0x00, 0x3c], [0x00, 0x3c, 0x00, 0x73], [0x00, 0x00, 0xfe, 0xff],
            [0xff, 0xfe, 0x00, 0x00]
        ] as [[UInt8]])
    func `other encodings`(_ bytes: [UInt8]) {
        #expect(ParseResult(bytes).failure?.condition == .unsupportedEncoding)
        #expect(ParseResult.slowly(bytes).failure?.condition == .unsupportedEncoding)
    }

    /// After the stream's opening tag, within an element, and in the middle of its text.
    @Test(
        arguments: [
            ("<!-- a -->", .restrictedXML), ("<?a b?>", .restrictedXML), ("<a>&b;</a>", .restrictedXML),
            ("<a b='&c;'/>", .restrictedXML), ("<!DOCTYPE a>", .notWellFormed), ("<!ENTITY b 'c'>", .notWellFormed),
            ("<a></b>", .notWellFormed), ("<a b=c/>", .notWellFormed), ("<a b='1' b='2'/>", .notWellFormed),
            ("<a b:c='1' d:c='2' xmlns:b='x' xmlns:d='x'/>", .notWellFormed),
            ("<a b='<'/>", .notWellFormed), ("<b:a/>", .notWellFormed), ("<a b:c=''/>", .notWellFormed),
            ("<a xmlns:b=''/>", .notWellFormed), ("<xmlns:a/>", .notWellFormed),
            ("<a:b:c xmlns:a='x'/>", .notWellFormed),
            ("<a>&#0;</a>", .notWellFormed), ("<a>&#xFFFE;</a>", .notWellFormed), ("<a>&#xD800;</a>", .notWellFormed),
            ("<a>\u{1}</a>", .notWellFormed), ("<a>\u{ffff}</a>", .notWellFormed), ("<a>]]></a>", .notWellFormed),
            ("<a>& </a>", .notWellFormed), ("<1/>", .notWellFormed), ("< a/>", .notWellFormed),
            ("<?xml version='1.0'?>", .notWellFormed), ("<a/", .notWellFormed)
        ] as [(String, StreamParserError.Condition)])
    func `XML that XMPP doesn't allow`(_ xml: String, _ condition: StreamParserError.Condition) {
        for (before, after) in [("", "<a/>"), ("<m><n/>", "</m>"), ("<m>text", "</m>")] {
            let bytes = (Stream.opening + Stream.message + before + xml + after).utf8
            for reading in [ParseResult(bytes), .slowly(bytes)] {
                #expect(reading.failure?.condition == condition, "\(xml)")
                #expect(reading.events == [.open(Stream.header), .element(Stream.messageElement)], "\(xml)")
            }
        }
    }

    @Test(arguments: ["x", " \n x", "&lt;", "&#x20;x", "<![CDATA[x]]>", "\u{a0}", "é", "\u{feff}"])
    func `text between elements`(_ text: String) {
        let bytes = (Stream.opening + Stream.message + text + Stream.message).utf8
        for reading in [ParseResult(bytes), .slowly(bytes)] {
            #expect(reading.failure?.condition == .badFormat)
            #expect(reading.events.count == 2)
        }
    }

    @Test(arguments: ["x", "<a/>", " <!-- -->", "\n" + Stream.opening, "<?a?>", "</stream:stream>", "\u{0}"])
    func `data after the end of the stream`(_ rest: String) {
        let bytes = (Stream.opening + StreamHeader.closing + rest).utf8
        for reading in [ParseResult(bytes), .slowly(bytes)] {
            #expect(reading.failure?.condition == .notWellFormed)
            #expect(reading.events == [.open(Stream.header), .close])
        }
    }

    @Test(
        arguments: [
            [0xc3], [0xc3, 0x28], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0x80], [0xe9],
            [0xf0, 0x9f]
        ] as [[UInt8]])
    func `invalid UTF-8`(_ bad: [UInt8]) {
        for (before, after) in [("<a>", "</a>"), ("<a b='", "'/>"), ("<a", "/>"), ("", "<a/>")] {
            let bytes = Array((Stream.opening + before).utf8) + bad + Array(after.utf8)
            for reading in [ParseResult(bytes), .slowly(bytes)] {
                #expect(reading.failure?.condition == .notWellFormed)
                #expect(reading.events == [.open(Stream.header)])
            }
        }
    }

    @Test func `the conditions have the names of the RFC`() {
        #expect(
            StreamParserError.Condition.allCases.map(\.rawValue) == [
                "bad-format", "invalid-namespace", "not-well-formed", "policy-violation", "resource-constraint",
                "restricted-xml", "unsupported-encoding"
            ])
    }
}
