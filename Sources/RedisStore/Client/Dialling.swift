import Heybot
import HeybotSockets

/// Gets a connection to the server that is ready for commands: finds it, proves who we are, picks the database.
struct Dialling {
    private let configuration: RedisStore.Configuration
    /// The Sentinels in the order they're asked in: the one that answered last comes first.
    private var sentinels: [Endpoint]

    init(_ configuration: RedisStore.Configuration) {
        self.configuration = configuration
        if case .sentinels(let hosts, _) = configuration.address.place {
            sentinels = hosts.map(\.endpoint)
        } else {
            sentinels = []
        }
    }

    nonisolated(nonsending) mutating func dial() async throws(Trouble) -> Link {
        switch configuration.address.place {
        case .server(let host): try await dial(host.endpoint)
        case .socket(let path): try await dial(Endpoint(path: path))
        case .sentinels(_, let name): try await dialMaster(name)
        }
    }

    private nonisolated(nonsending) func dial(_ endpoint: Endpoint) async throws(Trouble) -> Link {
        let link = try await link(to: endpoint)
        try await checkLayout(link, Server(endpoint))
        return link
    }

    private nonisolated(nonsending) mutating func dialMaster(_ name: String) async throws(Trouble) -> Link {
        let server = Server(try await master(name))
        do throws(Trouble) {
            let link = try await link(to: server.endpoint)
            try await checkRole(link, server, name)
            try await checkLayout(link, server)
            return link
        } catch {
            // Another Sentinel may know better.
            if !sentinels.isEmpty { sentinels.append(sentinels.removeFirst()) }
            throw error
        }
    }

    /// Sentinels may be a moment behind.
    private nonisolated(nonsending) func checkRole(
        _ link: Link, _ server: Server, _ name: String
    ) async throws(Trouble) {
        let role = try await ask(link, Command("ROLE"), server)
        if case .error(let error) = role { throw error.trouble(at: server) }
        guard case .array(let parts) = role, parts.first?.string == "master" else {
            throw Trouble(.unavailable, "\(server), which a Sentinel names as master of \(name), isn't one")
        }
    }

    // MARK: A server

    private nonisolated(nonsending) func link(to endpoint: Endpoint) async throws(Trouble) -> Link {
        let (address, server) = (configuration.address, Server(endpoint))
        let link = try await connect(server)
        if let password = address.password { try await logIn(link, address.user, password, server) }
        if address.database > 0 { try await succeed(link, Command("SELECT", "\(address.database)"), server) }
        // Whether it's loading, or wants a password that we don't have; or has no time for us at all, which it says unasked.
        try await succeed(link, Command("PING"), server)
        // For whoever looks at CLIENT LIST; if it may not be said, it isn't.
        _ = try await ask(link, Command("CLIENT", "SETNAME", "heybot"), server)
        return link
    }

    /// Refuses what isn't a brain, or one of a newer version; begins one if there's none.
    private nonisolated(nonsending) func checkLayout(_ link: Link, _ server: Server) async throws(Trouble) {
        let layout = Layout(configuration.address)
        // No more of it than a number has: it may be anything.
        let get = Command("GETRANGE", [layout.version, Array("0".utf8), Array("19".utf8)])
        var found = try await ask(link, get, server)
        if found.bytes?.isEmpty == true {
            let version = Array("\(Layout.version)".utf8)
            try await succeed(link, Command("SETNX", [layout.version, version]), server)
            found = try await ask(link, get, server)
        }
        if case .error(let error) = found, error.code != "WRONGTYPE" { throw error.trouble(at: server) }
        guard let number = found.string.flatMap({ Int($0) }) else {
            throw Trouble(
                .damaged,
                "\(server) has something else than a brain at \(layout.prefix):version",
                cure: "give another prefix in the URL, ?prefix", isLasting: true)
        }
        guard number <= Layout.version else {
            throw Trouble(
                .tooNew,
                "the brain in \(server) was written by a newer Heybot (its layout is \(number), this one knows "
                    + "\(Layout.version))", cure: "run that one", isLasting: true)
        }
    }

    private nonisolated(nonsending) func logIn(
        _ link: Link, _ user: String?, _ password: String, _ server: Server
    ) async throws(Trouble) {
        guard let user else { return try await succeed(link, Command("AUTH", password), server) }
        guard case .error(let error) = try await ask(link, Command("AUTH", user, password), server) else { return }
        // Servers older than users, and hosts that put a user into the URL whom the server doesn't know.
        guard case .error = try await ask(link, Command("AUTH", password), server) else { return }
        throw error.trouble(at: server)
    }

    // MARK: Sentinels

    /// Where the master is, from the first Sentinel that knows.
    private nonisolated(nonsending) mutating func master(_ name: String) async throws(Trouble) -> Endpoint {
        var trouble = Trouble(.unavailable, "there are no Sentinels to ask for \(name)", isLasting: true)
        for (index, sentinel) in sentinels.enumerated() {
            do throws(Trouble) {
                let master = try await master(name, of: sentinel)
                sentinels.insert(sentinels.remove(at: index), at: 0)
                return master
            } catch {
                trouble = error
            }
        }
        throw trouble
    }

    private nonisolated(nonsending) func master(
        _ name: String, of sentinel: Endpoint
    ) async throws(Trouble) -> Endpoint {
        let server = Server(sentinel, isSentinel: true)
        let link = try await connect(server)
        if let password = configuration.sentinelPassword {
            try await succeed(link, Command("AUTH", password), server)
        }
        switch try await ask(link, Command("SENTINEL", "get-master-addr-by-name", name), server) {
        case .array(let parts) where parts.count == 2:
            guard let host = parts[0].string, let port = parts[1].string.flatMap({ Int($0) }) else { break }
            return Endpoint(host: host, port: port)
        case .nothing:
            throw Trouble(
                .unavailable, "\(server) knows no master by the name of \(name)", cure: "check the name in the URL",
                isLasting: true)
        case .error(let error): throw error.trouble(at: server)
        default: break
        }
        throw Trouble(.failed, "\(server) doesn't say where \(name) is")
    }

    // MARK: How

    private nonisolated(nonsending) func connect(_ server: Server) async throws(Trouble) -> Link {
        do {
            return try await Link.open(server.endpoint, try configuration.tls(), within: configuration.deadline)
        } catch {
            throw Trouble(error, server)
        }
    }

    private nonisolated(nonsending) func succeed(
        _ link: Link, _ command: Command, _ server: Server
    ) async throws(Trouble) {
        if case .error(let error) = try await ask(link, command, server) { throw error.trouble(at: server) }
    }

    private nonisolated(nonsending) func ask(
        _ link: Link, _ command: Command, _ server: Server
    ) async throws(Trouble) -> Reply {
        let connection = link.connection
        let deadline = configuration.deadline
        // A server that has frozen says nothing at all.
        let alarm = Task {
            try await Task.sleep(for: deadline)
            connection.close()
        }
        defer { alarm.cancel() }
        do {
            return try await link.ask(command)
        } catch ConnectionError.closed {
            throw Trouble(.unavailable, "\(server) didn't answer within \(deadline)")
        } catch {
            throw Trouble(error, server)
        }
    }
}

extension Trouble {
    /// What an error of the connection's, or of what was read from it, means.
    init(_ error: any Error, _ server: Server) {
        switch error {
        case let error as StoreError: self.init(error, isLasting: true)
        case ReplyReader.Broken.other(let reason):
            self.init(.unavailable, "\(server) doesn't answer as Redis does: \(reason)")
        case ConnectionError.lost, ConnectionError.closed, ConnectionError.cancelled:
            self.init(.unavailable, "\(server) is away: \(error)")
        case let error as ConnectionError:
            // These name where it is.
            self =
                switch error {
                case .untrusted: Trouble(error.storeError(.untrusted, "\(server.kind) can't be used"), isLasting: true)
                case .notTLS, .badFiles:
                    Trouble(error.storeError(.unavailable, "\(server.kind) can't be used"), isLasting: true)
                default: Trouble(error.storeError(.unavailable, "\(server.kind) is away"))
                }
        default: self.init(.unavailable, "\(server.kind) is away: \(error)")
        }
    }
}

extension ConnectionError {
    fileprivate func storeError(_ code: StoreError.Code, _ meaning: String) -> StoreError {
        StoreError(code, "\(meaning): \(reason)", joint: joint, cure: cure)
    }
}
