import CCurl
import Heybot

/// One transfer of libcurl, with its easy handle: an HTTP request and its response.
///
/// A redirect leads to another transfer.
///
/// Only the engine's thread uses it. libcurl has a pointer to it while the handle is in use, so it must live as long.
final class CurlEasyTransfer {
    /// The outcome of a transfer: the response, or the request that a redirect leads to.
    enum ResponseOrRedirect {
        case answer(HTTPResponse)
        case redirect(HTTPRequest)
    }

    let handle: EasyHandle
    private let request: HTTPRequest
    private let url: WebURL
    /// Whether an address may be connected to; nil if all may.
    private let isAllowed: (@Sendable (IPAddress) -> Bool)?
    private var head = ResponseHead()
    private var body: [UInt8] = []
    /// The reason why the client aborted the transfer itself.
    private var refusal: HTTPError?
    /// Whether an address was refused, and whether an allowed one was tried.
    private var (hasRefused, hasTried) = (false, false)

    /// - Throws: ``HTTPError`` if the request can't be sent.
    init(
        _ request: HTTPRequest, _ configuration: CurlHTTPClient.Configuration, _ leaks: LeakCounter
    ) throws(HTTPError) {
        guard let url = WebURL(request.url) else { throw HTTPError(.badURL, host: request.host) }
        guard let handle = EasyHandle(leaks) else { throw CurlError(CURLE_OUT_OF_MEMORY).error(url.host) }
        let isGuarded = request.addresses == .publicOnly && configuration.blocksPrivateAddresses
        let proxy = configuration.proxies.proxy(for: url.scheme)
        if isGuarded, url.hasPortOfAnotherProtocol {
            throw HTTPError(.notPublic, host: url.host, "port \(url.port) belongs to another protocol")
        }
        // The proxy decides which addresses it connects to, so check at least what the URL shows.
        if isGuarded, proxy != nil, !url.mayBePublic(configuration.isPublic) {
            throw HTTPError(.notPublic, host: url.host)
        }
        self.url = url
        self.handle = handle
        self.request = Self.withUser(of: url, request)
        isAllowed = isGuarded && proxy == nil ? .some(configuration.isPublic) : .none
        do throws(CurlError) {
            try setUp(configuration)
            try setUpProxy(proxy ?? "", exceptions: isGuarded ? "" : configuration.proxies.exceptions)
            try setUpCallbacks()
            try setUpBody()
            try setUpHeader(configuration.userAgent)
        } catch {
            throw error.error(url.host)
        }
    }

    /// The host that the request goes to.
    var host: String { url.host }

    /// The request with the URL as libcurl normalized it, and the URL's user in the header Authorization.
    private static func withUser(of url: WebURL, _ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.url = url.text
        if request.headers["Authorization"] == nil { request.headers["Authorization"] = url.user?.value }
        return request
    }

    // MARK: Options

    private func setUp(_ configuration: CurlHTTPClient.Configuration) throws(CurlError) {
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_NOSIGNAL, 1)
        // Otherwise closing a handle waits for its DNS query, and blocks all other transfers.
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(configuration.connectDeadline.milliseconds, 1))
        // All encodings that libcurl can decode.
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = configuration.authorities {
            try handle.set(CURLOPT_CAINFO, file)
            try handle.set(CURLOPT_CAPATH, nil)
        }
    }

    /// Always sets both options: libcurl reads an option that isn't set from the environment.
    private func setUpProxy(_ proxy: String, exceptions: String) throws(CurlError) {
        try handle.set(CURLOPT_PROXY, proxy)
        try handle.set(CURLOPT_NOPROXY, exceptions)
    }

    private func setUpBody() throws(CurlError) {
        switch (request.method, request.body) {
        case (.head, _): try handle.set(CURLOPT_NOBODY, 1)
        case (_, let body?): try handle.set(body: body.bytes)
        // An empty body has a Content-Length too (RFC 9110 section 8.6).
        case (.post, nil), (.put, nil), (.patch, nil): try handle.set(body: [])
        default: break
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func setUpHeader(_ userAgent: String) throws(CurlError) {
        var headers = request.headers
        if headers["User-Agent"] == nil { headers["User-Agent"] = userAgent }
        if let body = request.body, headers["Content-Type"] == nil { headers["Content-Type"] = body.type }
        for name in Self.ofConnections { headers[name] = nil }
        for field in headers.fields {
            let value = ResponseHead.trimmed(field.value[...])
            // In libcurl's syntax, a field with a semicolon instead of a colon is sent without a value.
            try handle.add(header: value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // A field with a colon and no value isn't sent. libcurl would declare the body a form, and expect "100 Continue".
        if headers["Content-Type"] == nil { try handle.add(header: "Content-Type:") }
        try handle.add(header: "Expect:")
    }

    /// The header fields that libcurl sets itself.
    private static let ofConnections = ["Content-Length", "Expect", "Transfer-Encoding"]

    // MARK: Receiving

    private func setUpCallbacks() throws(CurlError) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.set(CURLOPT_HEADERDATA, context: context)
        try handle.set(CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
            CurlEasyTransfer.at(context)?.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: count)) == true
                ? count : 0
        }
        try handle.set(CURLOPT_WRITEDATA, context: context)
        try handle.set(CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            CurlEasyTransfer.at(context)?.receiveBody(UnsafeRawBufferPointer(start: bytes, count: count)) == true
                ? count : 0
        }
        try handle.set(
            open: { context, _, address in
                guard let transfer = CurlEasyTransfer.at(context), let address, transfer.mayOpen(address) else {
                    return CURL_SOCKET_BAD
                }
                return heybot_curl_open_socket(address)
            },
            ready: { context, address, _, _, _ in
                guard let transfer = CurlEasyTransfer.at(context), let address,
                    transfer.mayUse(String(cString: address))
                else {
                    return CURL_PREREQFUNC_ABORT
                }
                return CURL_PREREQFUNC_OK
            }, context: context)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlEasyTransfer? {
        context.map { Unmanaged<CurlEasyTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        let isTaken = head.add(line)
        if !isTaken {
            refusal = HTTPError(.tooLong, host: url.host, "its header is longer than \(ResponseHead.limit >> 10) KB")
            return false
        }
        // Each coding may multiply the bytes by a thousand, and libcurl decodes everything from one read before it returns:
        // a few kilobytes, compressed several times, would block this thread for hours.
        if !head.isOpen, head.codings > 1 {
            refusal = HTTPError(.broken, host: url.host, "the response is compressed more than once")
            return false
        }
        return true
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.limit - body.count else {
            refusal = HTTPError(.tooLong, host: url.host, "over \(request.limit) bytes")
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    // MARK: Addresses

    private func mayOpen(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let isAllowed else { return true }
        let mayOpen = heybot_curl_address(address).flatMap { IPAddress($0) }.map(isAllowed) ?? false
        if mayOpen { hasTried = true } else { hasRefused = true }
        return mayOpen
    }

    /// Checks the address again, since the connection may be left from a request that allowed all addresses.
    private func mayUse(_ address: String) -> Bool {
        guard let isAllowed else { return true }
        if let ip = IPAddress(address), isAllowed(ip) { return true }
        refusal = HTTPError(.notPublic, host: url.host)
        return false
    }

    // MARK: Outcome

    func outcome(_ result: CURLcode) throws(HTTPError) -> ResponseOrRedirect {
        if let refusal { throw refusal }
        guard result == CURLE_OK else {
            if hasRefused, !hasTried { throw HTTPError(.notPublic, host: url.host) }
            var problem = CurlError(result)
            problem.systemError = Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO))
            problem.verification = handle.number(CURLINFO_SSL_VERIFYRESULT)
            problem.proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
            throw problem.error(url.host)
        }
        // libcurl treats the end of the connection as the end of the header.
        if head.isOpen { throw CurlError(CURLE_PARTIAL_FILE).error(url.host) }
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        let location = handle.text(CURLINFO_REDIRECT_URL)
        if let next = try Redirect.next(after: request, status: status, location: location) { return .redirect(next) }
        return .answer(HTTPResponse(url: url.text, status: status, headers: head.headers, body: body))
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up, and limited to libcurl's range.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000), 0)
    }
}
