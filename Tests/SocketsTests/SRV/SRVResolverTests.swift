import HeybotSockets
import TestServers
import Testing

/// Against a scripted name server, through the system's resolver.
@Suite(.timeLimit(.minutes(15))) struct SRVResolverTests {
    private static let name = "_xmpp-client._tcp.example.org"

    private func lookup(_ server: NameServer, timeout: Duration = .testLimit) -> SRVResolver {
        SRVResolver(server: (server.address, server.port), timeout: timeout)
    }

    private func record(
        _ host: String, priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16 = 5222
    ) -> SRVRecord {
        SRVRecord(priority: priority, weight: weight, port: port, target: .host(host))
    }

    private func expect(
        _ error: SRVLookupError, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        await #expect(throws: error, sourceLocation: sourceLocation) { try await body() }
    }

    // MARK: Answers

    @Test func `priorities, weights, ports and hosts are parsed`() async throws {
        let server = try NameServer([
            Self.name: .services([
                .init(priority: 20, weight: 0, port: 443, target: "Fallback.Example.ORG"),
                .init(priority: 10, weight: 65_535, port: 5222, target: "a.example.org")
            ])
        ])
        let records = try await lookup(server).records(for: Self.name)
        #expect(
            Set(records) == [
                record("fallback.example.org", priority: 20, port: 443),
                record("a.example.org", priority: 10, weight: 65_535)
            ])
        #expect(server.questions.map(\.name) == [Self.name])
        #expect(server.questions.map(\.type) == [33])
    }

    @Test func `names are case-insensitive and may have a trailing dot`() async throws {
        let server = try NameServer([Self.name: .services([.init(port: 5222, target: "a.example.org")])])
        let records = try await lookup(server).records(for: "_XMPP-Client._tcp.Example.org.")
        #expect(records == [record("a.example.org")])
    }

    @Test func `a domain can declare that it doesn't offer the service`() async throws {
        let server = try NameServer([Self.name: .services([.init(port: 0, target: ".")])])
        let records = try await lookup(server).records(for: Self.name)
        #expect(records.map(\.target) == [.notOffered])
    }

    @Test func `a missing name or record type gives no records`() async throws {
        let server = try NameServer([
            "_nothing._tcp.example.org": .noData, "_alias._tcp.example.org": .alias("_nothing._tcp.example.org"),
            "_address._tcp.example.org": .addresses(["192.0.2.1", "2001:db8::1"])
        ])
        for service in ["_nothing", "_alias", "_address", "_unknown"] {
            #expect(try await lookup(server).records(for: "\(service)._tcp.example.org") == [], "\(service)")
        }
    }

    @Test func `an alias leads to the records of the other name`() async throws {
        let server = try NameServer([
            Self.name: .alias("_xmpp-client._tcp.example.net"),
            "_xmpp-client._tcp.example.net": .services([.init(port: 5222, target: "a.example.net")])
        ])
        #expect(try await lookup(server).records(for: Self.name) == [record("a.example.net")])
    }

    @Test func `200 records arrive by TCP, and the best 64 are used`() async throws {
        let services = (0..<200).map { index in
            NameServer.Service(priority: UInt16(200 - index), port: 5222, target: "host\(index).example.org")
        }
        let server = try NameServer([Self.name: .services(services)])
        let records = try await lookup(server).records(for: Self.name)
        #expect(records.count == 64)
        #expect(Set(records.map(\.priority)) == Set(1...64))
        #expect(server.questions.map(\.isByTCP) == [false, true])
    }

    @Test func `an internationalized domain is looked up by its A-labels`() async throws {
        let answer = NameServer.Answer.services([.init(port: 5222, target: "xmpp.xn--bcher-kva.example")])
        let server = try NameServer(["_xmpp-client._tcp.xn--bcher-kva.example": answer])
        for domain in ["bücher.example", "Bücher.example", "BÜCHER。example", "xn--bcher-kva.example"] {
            let records = try await lookup(server).records(for: "_xmpp-client._tcp.\(domain)")
            #expect(records == [record("xmpp.xn--bcher-kva.example")], "\(domain)")
        }
    }

    @Test func `answers may change while the server runs`() async throws {
        let server = try NameServer()
        #expect(try await lookup(server).records(for: Self.name) == [])
        server.set(.services([.init(port: 5222, target: "a.example.org")]), for: Self.name)
        #expect(try await lookup(server).records(for: Self.name) == [record("a.example.org")])
    }

    @Test func `concurrent lookups don't interfere`() async throws {
        let names = (0..<50).map { "_s\($0)._tcp.example.org" }
        let server = try NameServer(
            Dictionary(
                uniqueKeysWithValues: names.enumerated().map { index, name in
                    (name, .services([.init(port: UInt16(index + 1), target: "a.example.org")]))
                }))
        try await withThrowingTaskGroup { group in
            for (index, name) in names.enumerated() {
                group.addTask { (index, try await self.lookup(server).records(for: name)) }
            }
            for try await (index, records) in group {
                #expect(records == [record("a.example.org", port: UInt16(index + 1))])
            }
        }
    }

    // MARK: No answers

    @Test func `a failing name server is an error`() async throws {
        let server = try NameServer([Self.name: .failure])
        await expect(.unanswered(Self.name)) { _ = try await lookup(server).records(for: Self.name) }
        server.set(.refusal, for: Self.name)
        await expect(.unanswered(Self.name)) { _ = try await lookup(server).records(for: Self.name) }
        server.set(.misunderstanding, for: Self.name)
        await expect(.refused(Self.name)) { _ = try await lookup(server).records(for: Self.name) }
    }

    @Test func `an absent name server is an error`() async throws {
        let server = try NameServer()
        // Nothing listens at this address, while the port of a stopped server may become another test's.
        let lookup = SRVResolver(server: ("127.0.0.9", server.port), timeout: .testLimit)
        await expect(.unanswered(Self.name)) { _ = try await lookup.records(for: Self.name) }
    }

    @Test func `a lookup times out`() async throws {
        let time = Duration.milliseconds(300)
        // With TCP, the system's resolver would wait forever.
        let server = try NameServer([Self.name: .silenceByTCP])
        // On a busy machine, the first lookups may time out before they use TCP.
        repeat {
            await expect(.timedOut(Self.name, time)) {
                _ = try await lookup(server, timeout: time).records(for: Self.name)
            }
        } while !server.questions.contains(where: { $0.isByTCP })
    }

    @Test func `a query is sent twice`() async throws {
        let (server, time) = (try NameServer([Self.name: .silence]), Duration.seconds(3))
        let error = await #expect(throws: SRVLookupError.self) {
            _ = try await lookup(server, timeout: time).records(for: Self.name)
        }
        // Each query has a second; on a busy machine, the whole lookup may time out before the second one has.
        #expect(error == .unanswered(Self.name) || error == .timedOut(Self.name, time))
        try await wait(for: "the second query") { server.questions.count >= 2 }
        #expect(server.questions.count == 2)
    }

    @Test(arguments: [
        (NameServer.Answer.garbage, "it is cut off"), (.cutOff, "it is cut off"),
        (.loop, "a name in it can't be read"),
        (.services([.init(port: 1, target: "a b.example.org")]), "it names no host")
    ])
    func `an invalid response is an error`(_ answer: NameServer.Answer, reason: String) async throws {
        let server = try NameServer([Self.name: answer])
        await expect(.malformed(Self.name, reason: reason)) { _ = try await lookup(server).records(for: Self.name) }
    }

    @Test func `invalid queries aren't sent`() async throws {
        let server = try NameServer()
        for name in ["", ".", "a..b", "a b", "a\u{0}b", "*.example.org", String(repeating: "a", count: 64), "ü\n"] {
            await expect(.badName(name)) { _ = try await lookup(server).records(for: name) }
        }
        #expect(server.questions == [])
        for (address, port) in [("localhost", 53), ("", 53), ("::1", 53), ("127.0.0.1", 0), ("127.0.0.1", 65_536)] {
            await #expect(throws: SRVLookupError.self) {
                _ = try await SRVResolver(server: (address, port)).records(for: Self.name)
            }
        }
    }

    // MARK: Cancelling

    @Test func `cancellation ends the wait at once`() async throws {
        let server = try NameServer([Self.name: .silence])
        let lookup = lookup(server, timeout: .seconds(600))
        let task = Task { try await lookup.records(for: Self.name) }
        while server.questions.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await expect(.cancelled(Self.name)) { _ = try await task.value }
    }

    @Test func `a cancelled task sends no query`() async throws {
        let server = try NameServer([Self.name: .silence])
        let lookup = lookup(server)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await lookup.records(for: Self.name)
        }
        task.cancel()
        await expect(.cancelled(Self.name)) { _ = try await task.value }
        #expect(server.questions == [])
    }

    // MARK: Words

    @Test func `errors are one line that names the lookup`() {
        let name = Self.name
        let errors: [SRVLookupError] = [
            .badName(name), .unanswered(name), .refused(name), .timedOut(name, .seconds(5)),
            .malformed(name, reason: "it is cut off"), .unusable(name, reason: "no"), .cancelled(name)
        ]
        for error in errors { #expect(error.description.contains(name)) }
        #expect(
            SRVLookupError.timedOut(name, .seconds(5)).description
                == "\(name) can't be looked up: no answer within 5.0 seconds; check that name servers can be reached")
        let odd = SRVLookupError.badName("a\r\nb\u{2028}\u{202e}").description
        #expect(odd.hasPrefix("a??b?? can't be looked up"))
        #expect(SRVLookupError.badName("").description.hasPrefix("an empty name can't"))
    }
}
