import Heybot
import HeybotSockets

/// Establishes connections that are ready for commands: finds the server, authenticates, and selects the database.
struct RedisConnector {
    private let configuration: RedisStore.Configuration
    /// The Sentinels in the order in which they are asked: the one that answered last comes first.
    private var sentinels: [Endpoint]

    init(_ configuration: RedisStore.Configuration) {
        self.configuration = configuration
        if case .sentinels(let hosts, _) = configuration.address.location {
            sentinels = hosts.map(\.endpoint)
        } else {
            sentinels = []
        }
    }

    nonisolated(nonsending) mutating func connect() async throws(RedisClientError) -> RESPConnection {
        switch configuration.address.location {
        case .server(let host): try await connectToServer(host.endpoint)
        case .socket(let path): try await connectToServer(Endpoint(path: path))
        case .sentinels(_, let name): try await connectToMaster(name)
        }
    }

    private nonisolated(nonsending) func connectToServer(_ endpoint: Endpoint) async throws(RedisClientError)
        -> RESPConnection
    {
        let connection = try await readyConnection(to: endpoint)
        try await checkSchema(connection, ServerNameInErrors(endpoint))
        return connection
    }

    private nonisolated(nonsending) mutating func connectToMaster(_ name: String) async throws(RedisClientError)
        -> RESPConnection
    {
        let server = ServerNameInErrors(try await master(name))
        do throws(RedisClientError) {
            let connection = try await readyConnection(to: server.endpoint)
            try await checkRole(connection, server, name)
            try await checkSchema(connection, server)
            return connection
        } catch {
            // Another Sentinel may be up to date.
            if !sentinels.isEmpty { sentinels.append(sentinels.removeFirst()) }
            throw error
        }
    }

    /// Checks that the server is a master: Sentinels may be a moment behind.
    private nonisolated(nonsending) func checkRole(
        _ connection: RESPConnection, _ server: ServerNameInErrors, _ name: String
    ) async throws(RedisClientError) {
        let role = try await ask(connection, RedisCommand("ROLE"), server)
        if case .error(let error) = role { throw error.redisError(at: server) }
        guard case .array(let parts) = role, parts.first?.string == "master" else {
            throw RedisClientError(
                .unavailable, "a Sentinel names \(server) as the master \(name), but \(server) isn't a master")
        }
    }

    // MARK: Servers

    private nonisolated(nonsending) func readyConnection(to endpoint: Endpoint) async throws(RedisClientError)
        -> RESPConnection
    {
        let (address, server) = (configuration.address, ServerNameInErrors(endpoint))
        let connection = try await openConnection(server)
        if let password = address.password { try await logIn(connection, address.user, password, server) }
        if address.database > 0 { try await succeed(connection, RedisCommand("SELECT", "\(address.database)"), server) }
        // Finds out whether the server is loading, requires a password, or refuses the connection with an unsolicited error.
        try await succeed(connection, RedisCommand("PING"), server)
        // For CLIENT LIST; it doesn't matter if the user isn't allowed to.
        _ = try await ask(connection, RedisCommand("CLIENT", "SETNAME", "heybot"), server)
        return connection
    }

    /// Checks the version of the brain, or sets it if there is no brain yet.
    private nonisolated(nonsending) func checkSchema(_ connection: RESPConnection, _ server: ServerNameInErrors)
        async throws(RedisClientError)
    {
        let schema = KeySchema(configuration.address)
        // The value may be anything of any length: a number has no more digits than this.
        let get = RedisCommand("GETRANGE", [schema.version, Array("0".utf8), Array("19".utf8)])
        var found = try await ask(connection, get, server)
        if found.bytes?.isEmpty == true {
            let version = Array("\(KeySchema.version)".utf8)
            try await succeed(connection, RedisCommand("SETNX", [schema.version, version]), server)
            found = try await ask(connection, get, server)
        }
        if case .error(let error) = found, error.code != "WRONGTYPE" { throw error.redisError(at: server) }
        guard let number = found.string.flatMap({ Int($0) }) else {
            throw RedisClientError(
                .damaged,
                "the key \(schema.prefix):version in \(server) doesn't contain the version of a brain",
                fix: "set another prefix in the URL with ?prefix", isPermanent: true)
        }
        guard number <= KeySchema.version else {
            throw RedisClientError(
                .tooNew,
                "the brain in \(server) was written by a newer Heybot (the brain's schema version is \(number); this Heybot supports "
                    + "\(KeySchema.version))", fix: "run the newer version", isPermanent: true)
        }
    }

    private nonisolated(nonsending) func logIn(
        _ connection: RESPConnection, _ user: String?, _ password: String, _ server: ServerNameInErrors
    ) async throws(RedisClientError) {
        guard let user else { return try await succeed(connection, RedisCommand("AUTH", password), server) }
        guard case .error(let error) = try await ask(connection, RedisCommand("AUTH", user, password), server) else {
            return
        }
        // Servers without users, and hosting providers that put a user into the URL that the server doesn't know.
        guard case .error = try await ask(connection, RedisCommand("AUTH", password), server) else { return }
        throw error.redisError(at: server)
    }

    // MARK: Sentinels

    /// Returns the address of the master, from the first Sentinel that knows it.
    private nonisolated(nonsending) mutating func master(_ name: String) async throws(RedisClientError) -> Endpoint {
        var failure = RedisClientError(.unavailable, "there are no Sentinels to ask for \(name)", isPermanent: true)
        for (index, sentinel) in sentinels.enumerated() {
            do throws(RedisClientError) {
                let master = try await master(name, of: sentinel)
                sentinels.insert(sentinels.remove(at: index), at: 0)
                return master
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private nonisolated(nonsending) func master(
        _ name: String, of sentinel: Endpoint
    ) async throws(RedisClientError) -> Endpoint {
        let server = ServerNameInErrors(sentinel, isSentinel: true)
        let connection = try await openConnection(server)
        if let password = configuration.sentinelPassword {
            try await succeed(connection, RedisCommand("AUTH", password), server)
        }
        switch try await ask(connection, RedisCommand("SENTINEL", "get-master-addr-by-name", name), server) {
        case .array(let parts) where parts.count == 2:
            guard let host = parts[0].string, let port = parts[1].string.flatMap({ Int($0) }) else { break }
            return Endpoint(host: host, port: port)
        case .nothing:
            throw RedisClientError(
                .unavailable, "\(server) knows no master named \(name)", fix: "check the name in the URL",
                isPermanent: true)
        case .error(let error): throw error.redisError(at: server)
        default: break
        }
        throw RedisClientError(.failed, "\(server) didn't return the address of \(name)")
    }

    // MARK: Helpers

    private nonisolated(nonsending) func openConnection(_ server: ServerNameInErrors) async throws(RedisClientError)
        -> RESPConnection
    {
        do {
            return try await RESPConnection.open(
                server.endpoint, try configuration.tls(), within: configuration.callTimeout)
        } catch {
            throw RedisClientError(error, server)
        }
    }

    private nonisolated(nonsending) func succeed(
        _ connection: RESPConnection, _ command: RedisCommand, _ server: ServerNameInErrors
    ) async throws(RedisClientError) {
        if case .error(let error) = try await ask(connection, command, server) { throw error.redisError(at: server) }
    }

    private nonisolated(nonsending) func ask(
        _ connection: RESPConnection, _ command: RedisCommand, _ server: ServerNameInErrors
    ) async throws(RedisClientError) -> Reply {
        let transport = connection.transport
        let deadline = configuration.callTimeout
        // A frozen server never replies.
        let alarm = Task {
            try await Task.sleep(for: deadline)
            transport.close()
        }
        defer { alarm.cancel() }
        do {
            return try await connection.ask(command)
        } catch ConnectionError.closed {
            throw RedisClientError(.unavailable, "\(server) didn't answer within \(deadline)")
        } catch {
            throw RedisClientError(error, server)
        }
    }
}

extension RedisClientError {
    /// Converts an error of the connection or of the reply parser.
    init(_ error: any Error, _ server: ServerNameInErrors) {
        switch error {
        case let error as StoreError: self.init(error, isPermanent: true)
        case ReplyReader.ProtocolError.other(let reason):
            self.init(.unavailable, "\(server) doesn't speak the Redis protocol: \(reason)")
        case ConnectionError.lost, ConnectionError.closed, ConnectionError.cancelled:
            self.init(.unavailable, "\(server) is unavailable: \(error)")
        case let error as ConnectionError:
            // These errors already name the address.
            self =
                switch error {
                case .untrusted:
                    RedisClientError(error.storeError(.untrusted, "\(server.kind) can't be used"), isPermanent: true)
                case .notTLS, .badFiles:
                    RedisClientError(error.storeError(.unavailable, "\(server.kind) can't be used"), isPermanent: true)
                default: RedisClientError(error.storeError(.unavailable, "\(server.kind) is unavailable"))
                }
        default: self.init(.unavailable, "\(server.kind) is unavailable: \(error)")
        }
    }
}

extension ConnectionError {
    fileprivate func storeError(_ code: StoreError.Code, _ meaning: String) -> StoreError {
        StoreError(code, "\(meaning): \(reason)", joint: joint, fix: fix)
    }
}
