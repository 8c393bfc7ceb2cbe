import HeybotIRC
import HeybotXMPP

/// Measures the CPU time to parse a message, by protocol.
enum ParserBenchmark {
    private static let count = 50_000
    private static let words =
        "the build is green again after we moved that job to another host so lunch in ten minutes anyone seen my mug"

    static func run() throws {
        let line = Array(":ada!~lovelace@user/ada PRIVMSG #dev :\(words)".utf8)
        measure("a line of IRC") { _ = IRCMessage(line[...]) }
        let tags = "time=2026-11-22T12:00:00.123Z;account=ada;msgid=63E1033A051D4B41B1AB1FA3CF4B243E"
        let tagged = Array("@\(tags) :ada!~lovelace@user/ada PRIVMSG #dev :\(words)".utf8)
        measure("the same with tags") { _ = IRCMessage(tagged[...]) }

        let parser = XMLStreamParser()
        var events: [StreamEvent] = []
        let header =
            "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"
        try parser.feed(Array(header.utf8)[...], into: &events)
        let stanza = Array(
            """
            <message from='dev@conference.example.org/Ada' to='marvin@example.org/bench' type='groupchat' id='a1b2'>\
            <body>\(words)</body><origin-id xmlns='urn:xmpp:sid:0' id='a1b2'/>\
            <stanza-id xmlns='urn:xmpp:sid:0' by='dev@conference.example.org' id='1234567890123456'/></message>
            """.utf8)
        try measure("a stanza of XMPP") {
            events.removeAll(keepingCapacity: true)
            try parser.feed(stanza[...], into: &events)
        }
    }

    private static func measure(_ what: String, _ body: () throws -> Void) rethrows {
        var times: [Double] = []
        // The first round warms up.
        for round in 0...5 {
            let start = threadTime()
            for _ in 0..<count { try body() }
            if round > 0 { times.append((threadTime() - start) / Double(count) * 1e6) }
        }
        report("reading \(what)", median(times), "µs")
    }
}
