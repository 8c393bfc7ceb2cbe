import Foundation
import TestServers
import Testing

/// Real servers, with test clients.
@Suite(.serialized, .timeLimit(.minutes(15))) struct XMPPServerTests {
    static let installed = XMPPServer.Software.installed

    @Test(arguments: installed)
    func `two people talk in a room and in private`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        let (alice, bob) = (try await server.person("alice"), try await server.person("bob", resource: "phone"))
        #expect(alice.address == "alice@xmpp.test/desk" && bob.address == "bob@xmpp.test/phone")
        let room = server.room("lounge")
        try await alice.join(room, as: "Alice")
        alice.say("first", in: room)
        try await alice.expect("<body>first</body>")
        let presence = try await bob.join(room, as: "Bob <3")
        #expect(attribute("from", of: presence) == "\(room)/Bob &lt;3")
        // The history is repeated.
        try await bob.expect("<body>first</body>", "urn:xmpp:delay")
        try await alice.expect("<presence", "/Bob &lt;3")
        bob.say("hello & welcome", in: room)
        let heard = try await alice.expect("<body>hello &amp; welcome</body>")
        #expect(attribute("from", of: heard) == "\(room)/Bob &lt;3" && attribute("type", of: heard) == "groupchat")
        alice.setSubject("tea", of: room)
        try await bob.expect("<subject>tea</subject>")
        alice.tell(bob.address, "just you")
        try await bob.expect("from='alice@xmpp.test/desk'", "<body>just you</body>")
        bob.tell("\(room)/Alice", "psst")
        try await alice.expect("from='\(room)/Bob &lt;3'", "<body>psst</body>")
        try await bob.leave(room, as: "Bob <3")
        try await alice.expect("/Bob &lt;3", "unavailable")
        bob.logOut()
        try await bob.expect("</stream:stream>")
        try await bob.expectEnd()
        try await ends(server)
    }

    @Test(arguments: installed)
    func `kicks and bans`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        let (alice, bob) = (try await server.person("alice"), try await server.person("bob"))
        let room = server.room("lounge")
        try await alice.join(room, as: "alice")
        try await bob.join(room, as: "bob")
        try await alice.kick("bob", from: room, reason: "enough")
        let kicked = try await bob.expect("unavailable", "code='307'")
        #expect(kicked.contains("enough"))

        try await alice.setPassword("open sesame", of: room)
        await #expect { try await bob.join(room, as: "bob") } throws: { "\($0)".contains("not-authorized") }
        await #expect(throws: TestServerError.self) { try await bob.join(room, as: "bob", password: "wrong") }
        try await bob.join(room, as: "bob", password: "open sesame")
        await #expect(throws: TestServerError.self) { try await bob.kick("alice", from: room) }
        try await bob.leave(room, as: "bob")
        try await alice.setPassword(nil, of: room)

        try await alice.setMembersOnly(true, of: room)
        await #expect { try await bob.join(room, as: "bob") } throws: { "\($0)".contains("registration-required") }
        try await alice.make("bob@xmpp.test", "member", of: room)
        try await bob.join(room, as: "bob")
        await #expect { try await bob.join(room, as: "alice") } throws: { "\($0)".contains("conflict") }
        try await alice.setMembersOnly(false, of: room)
        try await alice.make("bob@xmpp.test", "outcast", of: room)
        try await bob.expect("unavailable", "code='301'")
        // ejabberd 23.01 lets them join again as outcasts who may speak.
        if software == .prosody {
            await #expect { try await bob.join(room, as: "bob") } throws: { "\($0)".contains("forbidden") }
        }
        try await ends(server)
    }

    @Test(arguments: installed)
    func `rooms show or hide addresses`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        let (alice, bob) = (try await server.person("alice"), try await server.person("bob"))
        for (name, isAnonymous) in [("masks", true), ("faces", false)] {
            let room = server.room(name)
            try await alice.join(room, as: "alice")
            try await alice.setAnonymous(isAnonymous, of: room)
            try await bob.join(room, as: "bob")
            let seen = try await bob.expect("from='\(room)/alice'")
            #expect(seen.contains("jid='alice@xmpp.test/desk'") != isAnonymous)
            // Moderators see all addresses.
            let owner = try await alice.expect("from='\(room)/bob'")
            #expect(owner.contains("jid='bob@xmpp.test/desk'"))
        }
    }

    @Test(arguments: installed)
    func `the length of a room's history is configurable`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software, history: 5)
        let (alice, bob) = (try await server.person("alice"), try await server.person("bob"))
        let room = server.room("lounge")
        try await alice.join(room, as: "alice")
        for number in 1...8 { alice.say("line \(number)", in: room) }
        try await alice.expect("line 8")
        try await bob.join(room, as: "bob")
        try await bob.expect("<subject")
        let lines = bob.received.filter { $0.contains("urn:xmpp:delay") && $0.contains("<body>line ") }
        #expect(lines.count == 5 && lines.first?.contains("line 4") == true)
    }

    @Test(arguments: installed)
    func `contacts see each other's presence`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        let (alice, bob) = (try await server.person("alice"), try await server.person("bob"))
        alice.exchangeSubscriptions(with: "bob@xmpp.test")
        try await bob.expect("<presence", "type='subscribe'")
        bob.exchangeSubscriptions(with: "alice@xmpp.test")
        try await bob.expect("from='alice@xmpp.test/desk'")
        try await alice.expect("from='bob@xmpp.test/desk'")
        bob.reset()
        try await alice.expect("from='bob@xmpp.test/desk'", "unavailable")
    }

    @Test(arguments: installed)
    func `service queries are answered`(_ software: XMPPServer.Software) async throws {
        let server = try await XMPPServer.start(software)
        let alice = try await server.person("alice")
        let features = try await alice.ask(
            "get", "<query xmlns='http://jabber.org/protocol/disco#info'/>", of: "xmpp.test")
        for name in ["urn:xmpp:ping", "urn:xmpp:time", "jabber:iq:version", "urn:xmpp:carbons:2", "urn:xmpp:blocking"] {
            #expect(features.contains("'\(name)'"), "\(name)")
        }
        #expect(!features.contains("jabber:iq:register"))
        let items = try await alice.ask(
            "get", "<query xmlns='http://jabber.org/protocol/disco#items'/>", of: "xmpp.test")
        #expect(items.contains("jid='\(server.conference)'"))
        try await alice.ask("get", "<ping xmlns='urn:xmpp:ping'/>", of: "xmpp.test")
        try await alice.ask("set", "<enable xmlns='urn:xmpp:carbons:2'/>")
        await #expect { try await alice.ask("get", "<query xmlns='nothing'/>", of: "xmpp.test") } throws: {
            "\($0)".contains("service-unavailable")
        }
        // The client answers too.
        let bob = try await server.person("bob")
        try await bob.ask("get", "<ping xmlns='urn:xmpp:ping'/>", of: alice.address)
        alice.send("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
        try await alice.expect("<enabled", "resume=")
    }

    @Test(arguments: installed, [true, false])
    func `accounts survive a restart`(_ software: XMPPServer.Software, _ gracefully: Bool) async throws {
        let server = try await XMPPServer.start(software)
        try await server.register(account: "heybot", password: "it's \"quoted\" \\ ü")
        let first = try await server.person("heybot", password: "it's \"quoted\" \\ ü")
        let (processes, port) = (server.processes + server.descendants, server.port)
        await server.stop(gracefully: gracefully)
        try await first.expectEnd()
        let goodbye = first.received.contains { $0.contains("system-shutdown") }
        // Usually they say goodbye; after kill -9 they can't.
        #expect(gracefully || !goodbye)
        for process in processes { #expect(!ChildProcess.isRunning(process)) }
        #expect(throws: TestServerError.self) { try XMPPTestClient(port: port) }
        try await server.start()
        #expect(server.port == port && server.processes.count == 1)
        _ = try await server.person("heybot", password: "it's \"quoted\" \\ ü")
        await #expect(throws: TestServerError.self) { try await server.person("heybot", password: "wrong") }
        try await ends(server)
    }

    @Test(arguments: installed)
    func `a server can be paused, and ends with its last reference`(_ software: XMPPServer.Software) async throws {
        var server: XMPPServer? = try await XMPPServer.start(software)
        let alice = try #require(try await server?.person("alice"))
        server?.pause()
        try await wait(for: "it to stand still") { server?.processes.allSatisfy(ChildProcess.isStopped) == true }
        alice.tell("alice@xmpp.test", "hello me")
        server?.resume()
        try await alice.expect("hello me")
        let process = try #require(server?.processes.first)
        let folder = try #require(server?.folder.path)
        #expect(FileManager.default.fileExists(atPath: folder))
        server = nil
        #expect(!ChildProcess.isRunning(process))
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test(arguments: installed)
    func `the server listens on the loopback interface only, and runs as nobody`(_ software: XMPPServer.Software)
        async throws
    {
        let server = try await XMPPServer.start(software)
        let processes = server.processes + server.descendants
        var sockets: Set<String> = []
        for process in processes {
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
            for file in files {
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(file)")
                if let link, link.hasPrefix("socket:[") { sockets.insert(String(link.dropFirst(8).dropLast())) }
            }
            guard getuid() == 0 else { continue }
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            #expect(status.contains("Uid:\t65534\t65534\t65534\t65534"))
        }
        var addresses: Set<String> = []
        for table in ["tcp", "tcp6", "udp", "udp6"] {
            // `String(contentsOfFile:)` reads only the first page of such a file.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/net/\(table)"))
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            for line in text.split(separator: "\n") {
                let words = line.split(separator: " ")
                // Listening TCP sockets (0A); the ninth field is the inode in the links.
                guard words.count > 9, sockets.contains(String(words[9])) else { continue }
                if table.hasPrefix("udp") || words[3] == "0A" { addresses.insert(String(words[1])) }
            }
        }
        let ports = [server.port, try #require(server.tlsPort)]
        #expect(addresses == Set(ports.map { "0100007F:" + String($0, radix: 16, uppercase: true) }))
    }

    /// Checks that nothing of the server is left.
    private func ends(_ server: XMPPServer, at place: SourceLocation = #_sourceLocation) async throws {
        let processes = server.processes + server.descendants
        #expect(!processes.isEmpty, sourceLocation: place)
        await server.stop()
        #expect(server.processes.isEmpty, sourceLocation: place)
        for process in processes { #expect(!ChildProcess.isRunning(process), sourceLocation: place) }
    }
}
