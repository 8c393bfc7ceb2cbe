/// Runs commands on a server with `redis-cli`.
struct RedisCLI: Sendable {
    let port: Int
    /// The password of the user `default`; nil if there is none.
    let password: String?
    /// The folder for the output.
    let folder: ScratchFolder

    /// Runs a command, and returns its output without the last line break.
    func run(_ words: [String]) async throws -> String {
        // A wrapper, because the environment of the program is set elsewhere.
        let wrapper = password.map { ["env", "REDISCLI_AUTH=\($0)"] } ?? []
        let said = try await ChildProcess.run(wrapper + ["redis-cli", "-e", "-p", "\(port)"] + words, in: folder)
        return said.hasSuffix("\n") ? String(said.dropLast()) : said
    }

    /// Waits until the server answers, has loaded its data, and, as a replica, is connected to its master.
    func waitForAnswers() async throws {
        try await Self.wait(for: "an answer to PING") { try await run(["PING"]) == "PONG" }
        try await Self.wait(for: "the link to the master") {
            let role = try await run(["ROLE"]).split(separator: "\n")
            return role.first != "slave" || (role.count > 3 && role[3] == "connected")
        }
    }

    /// Polls until a condition holds; an error counts as not yet.
    ///
    /// - Throws: ``TestServerError/timedOut(_:got:)``, with the last error, after the time limit.
    static func wait(
        for what: String, within limit: Duration = .testLimit, until isSo: () async throws -> Bool
    ) async throws {
        let end = ContinuousClock.now + limit
        var errors: [String] = []
        while true {
            do {
                if try await isSo() { return }
            } catch let error as TestServerError {
                errors = ["\(error)"]
            }
            guard ContinuousClock.now < end else { throw TestServerError.timedOut(what, got: errors) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Returns a word quoted for a configuration file.
    static func quoted(_ word: String) -> String {
        "\"\(word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
