/// An HTTP client for scripts.
///
/// ```swift
/// let weather = try await res.http.get("https://api.example.org/weather", query: ["city": city]).json(Weather.self)
/// ```
public protocol HTTPClient: Sendable {
    /// Sends a request, follows redirects, and returns the response, whatever its status.
    ///
    /// If the calling task is canceled, the request is aborted.
    ///
    /// - Throws: ``HTTPError`` if there is no valid response, `CancellationError` if the task was canceled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

extension HTTPClient {
    /// Sends a GET request.
    public func get(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.get, url, query: query, headers: headers, auth: auth, addresses: addresses))
    }

    /// Sends a HEAD request.
    public func head(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.head, url, query: query, headers: headers, auth: auth, addresses: addresses))
    }

    /// Sends a POST request.
    public func post(
        _ url: String, _ body: HTTPRequestBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(.post, url, query: query, headers: headers, auth: auth, body: body, addresses: addresses))
    }

    /// Sends a PUT request.
    public func put(
        _ url: String, _ body: HTTPRequestBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(.put, url, query: query, headers: headers, auth: auth, body: body, addresses: addresses))
    }

    /// Sends a PATCH request.
    public func patch(
        _ url: String, _ body: HTTPRequestBody? = nil, query: FormFields = [:], headers: HTTPHeaders = [:],
        auth: HTTPAuthorization? = nil, addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(
            HTTPRequest(.patch, url, query: query, headers: headers, auth: auth, body: body, addresses: addresses))
    }

    /// Sends a DELETE request.
    public func delete(
        _ url: String, query: FormFields = [:], headers: HTTPHeaders = [:], auth: HTTPAuthorization? = nil,
        addresses: HTTPRequest.AddressPolicy = .unrestricted
    ) async throws -> HTTPResponse {
        try await send(HTTPRequest(.delete, url, query: query, headers: headers, auth: auth, addresses: addresses))
    }
}

/// The client of a robot that was created without one; all requests fail.
struct MissingHTTPClient: HTTPClient {
    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        throw HTTPError(.noClient, host: request.host)
    }
}
