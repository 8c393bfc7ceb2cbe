import Heybot

/// What follows from an answer that says to ask elsewhere (RFC 9110 section 15.4), as browsers do it.
enum Redirect {
    /// The request that follows an answer; nil if that is the last.
    ///
    /// What proves who asks is for the one that was asked: another scheme, host or port gets only the fields that are known
    /// to hold no secret, since a key may be in a field of any name. A user in the new URL doesn't count either, as a server
    /// has no say in who we are.
    ///
    /// - Parameter location: If it leads, absolute; nil if the answer doesn't say.
    /// - Throws: ``HTTPError`` if it isn't to be followed.
    static func next(
        after request: HTTPRequest, status: Int, location: String?
    ) throws(HTTPError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(status), let location else { return nil }
        let host = request.host
        guard request.redirects > 0 else { throw HTTPError(.redirects, host: host, "there are too many redirects") }
        guard let new = WebURL(location) else {
            throw HTTPError(.redirects, host: host, "it leads to no URL of http or https")
        }
        let old = WebURL(request.url)
        guard old?.scheme != "https" || new.scheme == "https" else {
            throw HTTPError(.redirects, host: host, "it leads from https to http")
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
    /// In lower case.
    private static let ofAnyOrigin: Set = [
        "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-language",
        "content-location", "content-type", "if-modified-since", "if-none-match", "range", "user-agent"
    ]
}
