import Heybot
import HeybotTesting
import TestServers

@testable import CurlClient

/// A client, which is closed afterwards.
func withClient<Result>(
    _ configuration: CurlHTTPClient.Configuration = .init(), _ log: TestLog = TestLog(),
    _ body: (CurlHTTPClient) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    // Only a hang reaches it, unless the test sets it.
    if configuration.connectDeadline == CurlHTTPClient.Configuration().connectDeadline {
        configuration.connectDeadline = .testLimit
    }
    let client = CurlHTTPClient(configuration, logger: log.logger)
    defer { client.close() }
    return try await body(client)
}

extension CurlHTTPClient {
    /// Sends a GET request with a deadline that only a hang reaches, in place of the protocol's function.
    func get(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(.get, url, query: query, headers: headers, auth: auth, addresses: addresses)
        request.deadline = .testLimit
        return try await send(request)
    }
}

/// Why there is no answer; nil if there is one, or it's for another reason.
func failure(_ body: () async throws -> HTTPResponse) async -> HTTPError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? HTTPError
    }
}

/// Waits until a client has released its resources, which happens a moment after a request has finished.
func expectNothing(of client: CurlHTTPClient) async throws {
    try await wait(for: "nothing to be left") { client.engine.leaks.isEmpty }
}

/// A server that answers each request over its connections the same, and what it was asked.
func answering(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") throws -> ScriptedHTTPServer {
    try ScriptedHTTPServer { client in
        while client.head() != nil { client.answer(status, fields, body) }
    }
}

/// A request as the server received it: the first line, and the fields by name in lower case.
func asked(_ request: HTTPRequest, bodyCount: Int = 0) async throws -> (
    line: String, fields: [String: String], body: String
) {
    let server = try ScriptedHTTPServer { client in
        client.head()
        if bodyCount > 0 { client.body(bodyCount) }
        client.answer()
        client.waitForEnd()
    }
    defer { server.stop() }
    var request = request
    request.deadline = .testLimit
    request.url = server.url(request.url)
    _ = try await withClient { try await $0.send(request) }
    let parts = server.clients[0].received.components("\r\n\r\n")
    let lines = parts[0].components("\r\n")
    let fields = lines.dropFirst().map { line in
        let halves = line.components(":")
        return (halves[0].lowercased(), halves.dropFirst().joined(separator: ":"))
    }
    return (lines[0], Dictionary(fields) { "\($0)|\($1)" }, parts.dropFirst().joined())
}

extension String {
    /// Returns the parts between separators.
    func components(_ separator: String) -> [String] {
        self.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
