/// What speaks to one server by `redis-cli`.
struct RedisCommandLine: Sendable {
    let port: Int
    /// That of the user `default`; nil if there is none.
    let password: String?
    /// Where what it prints is kept meanwhile.
    let folder: ScratchFolder

    /// Runs a command, and returns what it printed, without the last line break.
    func run(_ words: [String]) async throws -> String {
        // A word for the wrapper: the program has its environment from somebody else.
        let wrapper = password.map { ["env", "REDISCLI_AUTH=\($0)"] } ?? []
        let said = try await Child.run(wrapper + ["redis-cli", "-e", "-p", "\(port)"] + words, in: folder)
        return said.hasSuffix("\n") ? String(said.dropLast()) : said
    }

    /// Returns when the server answers, has loaded its data, and follows its master if it's a replica.
    func waitForAnswers() async throws {
        try await Self.wait(for: "an answer to PING") { try await run(["PING"]) == "PONG" }
        try await Self.wait(for: "the link to the master") {
            let role = try await run(["ROLE"]).split(separator: "\n")
            return role.first != "slave" || (role.count > 3 && role[3] == "connected")
        }
    }

    /// Waits until it is so, asking again and again; an error counts as no.
    ///
    /// - Throws: ``ServersError/timedOut(_:got:)``, with the last error, if it takes longer than the limit.
    static func wait(
        for what: String, within limit: Duration = .testLimit, until isSo: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        while true {
            var errors: [String] = []
            do {
                if try await isSo() { return }
            } catch let error as ServersError {
                errors = ["\(error)"]
            }
            guard ContinuousClock.now < end else { throw ServersError.timedOut(what, got: errors) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// A word as it stands in a configuration file.
    static func quoted(_ word: String) -> String {
        "\"\(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
