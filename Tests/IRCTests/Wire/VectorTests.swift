import HeybotIRC
import Testing

/// Every case of github.com/ircdocs/parser-tests.
@Suite struct VectorTests {
    @Test func `all test vectors are read`() throws {
        #expect(try TestVectors.cases("msg-split", of: TestVectors.Split.self).count == 35)
        #expect(try TestVectors.cases("msg-join", of: TestVectors.Join.self).count == 18)
        #expect(try TestVectors.cases("mask-match", of: TestVectors.MaskMatch.self).count == 6)
        #expect(try TestVectors.cases("userhost-split", of: TestVectors.UserhostSplit.self).count == 7)
        #expect(try TestVectors.cases("validate-hostname", of: TestVectors.HostnameValidity.self).count == 19)
    }

    @Test(arguments: try TestVectors.cases("msg-split", of: TestVectors.Split.self))
    func `msg-split`(_ test: TestVectors.Split) throws {
        for line in [test.input, test.input + "\r\n", test.input + "\n"] {
            let message = try #require(IRCMessage(line))
            #expect(message == test.atoms.message)
            #expect(IRCMessage(Array(line.utf8)[...]) == message)
        }
    }

    @Test(arguments: try TestVectors.cases("msg-join", of: TestVectors.Join.self))
    func `msg-join`(_ test: TestVectors.Join) {
        #expect(test.matches.contains(test.atoms.message.description))
        for line in test.matches { #expect(IRCMessage(line) == test.atoms.message) }
    }

    @Test(arguments: try TestVectors.cases("mask-match", of: TestVectors.MaskMatch.self))
    func `mask-match`(_ test: TestVectors.MaskMatch) {
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

    @Test(arguments: try TestVectors.cases("userhost-split", of: TestVectors.UserhostSplit.self))
    func `userhost-split`(_ test: TestVectors.UserhostSplit) {
        let source = Source(test.source)
        #expect(source == Source(nick: test.atoms.nick, user: test.atoms.user, host: test.atoms.host))
        #expect(source.description == test.source)
    }

    @Test(arguments: try TestVectors.cases("validate-hostname", of: TestVectors.HostnameValidity.self))
    func `validate-hostname`(_ test: TestVectors.HostnameValidity) {
        #expect(Hostname.isValid(test.host) == test.valid)
    }
}

extension TestVectors.Atoms {
    var message: IRCMessage {
        IRCMessage(tags: tags ?? [:], source: source, verb, params ?? [])
    }
}
