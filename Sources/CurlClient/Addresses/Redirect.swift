import Heybot

/// Follows redirects (RFC 9110 section 15.4) as browsers do.
enum Redirect {
    /// Returns the request that follows a response; nil if the response isn't a redirect.
    ///
    /// Credentials aren't sent to another origin: if scheme, host or port differ, only header fields that are known to contain
    /// no secret are kept, since a key may be in a field of any name. A user in the new URL is ignored, because a server
    /// mustn't choose our credentials.
    ///
    /// - Parameter location: The absolute URL that the response redirects to; nil if there is none.
    /// - Throws: ``HTTPError`` if the redirect must not be followed.
    static func next(
        after request: HTTPRequest, status: Int, location: String?
    ) throws(HTTPError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return nil }
        let host = request.host
        guard request.redirects > 0 else { throw HTTPError(.redirects, host: host, "too many redirects") }
        guard let new = WebURL(location) else {
            throw HTTPError(.redirects, host: host, "it redirects to a URL that isn't http or https")
        }
        let old = WebURL(request.url)
        guard old?.scheme != "https" || new.scheme == "https" else {
            throw HTTPError(.redirects, host: host, "it redirects from https to http")
        }
        var next = request
        next.url = new.text
        next.redirects -= 1
        if status == 303 && ![.get, .head].contains(request.method) || status < 303 && request.method == .post {
            next.method = .get
            next.body = nil
            for name in ofBodies { next.headers[name] = nil }
        }
        if old.map({ !new.hasSameOrigin(as: $0) }) ?? true {
            for field in next.headers.fields where !ofAnyOrigin.contains(field.name.lowercased()) {
                next.headers[field.name] = nil
            }
        }
        return next
    }

    private static let ofBodies = [
        "Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type",
        "Transfer-Encoding"
    ]
    /// The fields that may be sent to any origin, in lower case.
    private static let ofAnyOrigin: Set = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-language",
        "content-location", "content-type", "if-modified-since", "if-none-match", "range", "user-agent"
    ]
}
