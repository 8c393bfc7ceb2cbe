import HeybotIRC
import Testing

/// Every case of github.com/ircdocs/parser-tests.
@Suite struct VectorTests {
    @Test func `no case is lost on the way`() throws {
        #expect(try Vectors.cases("msg-split", of: Vectors.Split.self).count == 35)
        #expect(try Vectors.cases("msg-join", of: Vectors.Join.self).count == 18)
        #expect(try Vectors.cases("mask-match", of: Vectors.MaskMatch.self).count == 6)
        #expect(try Vectors.cases("userhost-split", of: Vectors.UserhostSplit.self).count == 7)
        #expect(try Vectors.cases("validate-hostname", of: Vectors.HostnameValidity.self).count == 19)
    }

    @Test(arguments: try Vectors.cases("msg-split", of: Vectors.Split.self))
    func `msg-split`(_ test: Vectors.Split) throws {
        for line in [test.input, test.input + "\r\n", test.input + "\n"] {
            let message = try #require(IRCMessage(line))
            #expect(message == test.atoms.message)
            #expect(IRCMessage(Array(line.utf8)[...]) == message)
        }
    }

    @Test(arguments: try Vectors.cases("msg-join", of: Vectors.Join.self))
    func `msg-join`(_ test: Vectors.Join) {
        #expect(test.matches.contains(test.atoms.message.description))
        for line in test.matches { #expect(IRCMessage(line) == test.atoms.message) }
    }

    @Test(arguments: try Vectors.cases("mask-match", of: Vectors.MaskMatch.self))
    func `mask-match`(_ test: Vectors.MaskMatch) {
        let mask = Mask(test.mask)
        for text in test.matches {
            #expect(mask.matches(text), "\(text)")
            #expect(mask.matches(Source(text)), "\(text)")
        }
        for text in test.fails {
            #expect(!mask.matches(text), "\(text)")
            #expect(!mask.matches(Source(text)), "\(text)")
        }
    }

    @Test(arguments: try Vectors.cases("userhost-split", of: Vectors.UserhostSplit.self))
    func `userhost-split`(_ test: Vectors.UserhostSplit) {
        let source = Source(test.source)
        #expect(source == Source(nick: test.atoms.nick, user: test.atoms.user, host: test.atoms.host))
        #expect(source.description == test.source)
    }

    @Test(arguments: try Vectors.cases("validate-hostname", of: Vectors.HostnameValidity.self))
    func `validate-hostname`(_ test: Vectors.HostnameValidity) {
        #expect(Hostname.isValid(test.host) == test.valid)
    }
}

extension Vectors.Atoms {
    var message: IRCMessage {
        IRCMessage(tags: tags ?? [:], source: source, verb, params ?? [])
    }
}
