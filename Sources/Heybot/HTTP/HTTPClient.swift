/// What reaches the web for a robot's scripts.
///
/// ```swift
/// let weather = try await res.http.get("https://api.example.org/weather", query: ["city": city]).json(Weather.self)
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request, follows redirects, and returns the answer, whatever its status.
    ///
    /// If the calling task is cancelled, the request is broken off.
    ///
    /// - Throws: ``HTTPError`` if there is no answer, `CancellationError` if the task was cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

extension HTTPClient {
    /// Gets what is there.
    public func get(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.get, url, query: query, headers: headers, auth: auth, reach: reach))
    }

    /// Gets the header fields of what is there.
    public func head(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.head, url, query: query, headers: headers, auth: auth, reach: reach))
    }

    /// Sends something there to be dealt with.
    public func post(
        _ url: String, _ body: HTTPBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.post, url, query: query, headers: headers, auth: auth, body: body, reach: reach))
    }

    /// Puts something there.
    public func put(
        _ url: String, _ body: HTTPBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.put, url, query: query, headers: headers, auth: auth, body: body, reach: reach))
    }

    /// Changes a part of what is there.
    public func patch(
        _ url: String, _ body: HTTPBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.patch, url, query: query, headers: headers, auth: auth, body: body, reach: reach))
    }

    /// Takes away what is there.
    public func delete(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        reach: HTTPRequest.Reach = .anywhere
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.delete, url, query: query, headers: headers, auth: auth, reach: reach))
    }
}

/// What a robot has that was made without a client.
struct MissingHTTPClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        throw HTTPError(.noClient, host: request.host)
    }
}
