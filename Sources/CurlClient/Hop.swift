import CCurl
import Heybot

/// One request over the wire and its answer; a redirect is followed by another.
///
/// For the driver's thread alone. libcurl points at it while the handle is in use, so whoever uses that holds this.
final class Hop {
    /// What follows from an answer.
    enum Outcome {
        case answer(HTTPResponse)
        case redirect(HTTPRequest)
    }

    let handle: EasyHandle
    private let request: HTTPRequest
    private let url: WebURL
    /// Which addresses may be connected to; nil for all.
    private let isAllowed: (@Sendable (IPAddress) -> Bool)?
    private var head = ResponseHead()
    private var body: [UInt8] = []
    /// Why we have broken it off ourselves.
    private var refusal: HTTPError?
    /// Whether an address was refused, and whether another was tried.
    private var (hasRefused, hasTried) = (false, false)

    /// - Throws: ``HTTPError`` if it can't be asked.
    init(
        _ request: HTTPRequest, _ configuration: CurlHTTPClient.Configuration, _ census: Census
    ) throws(HTTPError) {
        guard let url = WebURL(request.url) else { throw HTTPError(.badURL, host: request.host) }
        guard let handle = EasyHandle(census) else { throw CurlProblem(CURLE_OUT_OF_MEMORY).error(url.host) }
        let isGuarded = request.reach == .publicOnly && configuration.guardsChat
        let proxy = configuration.proxies.proxy(for: url.scheme)
        if isGuarded, url.hasPortOfAnotherProtocol {
            throw HTTPError(.notPublic, host: url.host, "port \(url.port) is another protocol's")
        }
        // What a proxy connects to is its own affair, but for what it can be told not to.
        if isGuarded, proxy != nil, !url.mayBePublic(configuration.isPublic) {
            throw HTTPError(.notPublic, host: url.host)
        }
        self.url = url
        self.handle = handle
        self.request = Self.withUser(of: url, request)
        isAllowed = isGuarded && proxy == nil ? .some(configuration.isPublic) : .none
        do throws(CurlProblem) {
            try setUp(configuration)
            try setUpProxy(proxy ?? "", exceptions: isGuarded ? "" : configuration.proxies.exceptions)
            try setUpCallbacks()
            try setUpBody()
            try setUpHeader(configuration.userAgent)
        } catch {
            throw error.error(url.host)
        }
    }

    /// Whom it asks.
    var host: String { url.host }

    /// The request by the URL that libcurl made of it, whose user is told in the header.
    private static func withUser(of url: WebURL, _ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.url = url.text
        if request.headers["Authorization"] == nil { request.headers["Authorization"] = url.user?.value }
        return request
    }

    // MARK: How it is asked

    private func setUp(_ configuration: CurlHTTPClient.Configuration) throws(CurlProblem) {
        try handle.set(CURLOPT_URL, url.text)
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_NOSIGNAL, 1)
        // Else it waits for a name's look-up that nobody needs any more, and all the others with it.
        try handle.set(CURLOPT_QUICK_EXIT, 1)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(configuration.connectDeadline.milliseconds, 1))
        // All that it can unpack.
        try handle.set(CURLOPT_ACCEPT_ENCODING, "")
        try handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = configuration.authorities {
            try handle.set(CURLOPT_CAINFO, file)
            try handle.set(CURLOPT_CAPATH, nil)
        }
    }

    /// Both are always set: libcurl would look into the environment.
    private func setUpProxy(_ proxy: String, exceptions: String) throws(CurlProblem) {
        try handle.set(CURLOPT_PROXY, proxy)
        try handle.set(CURLOPT_NOPROXY, exceptions)
    }

    private func setUpBody() throws(CurlProblem) {
        switch (request.method, request.body) {
        case (.head, _): try handle.set(CURLOPT_NOBODY, 1)
        case (_, let body?): try handle.set(body: body.bytes)
        // That there is nothing is said too (RFC 9110 section 8.6).
        case (.post, nil), (.put, nil), (.patch, nil): try handle.set(body: [])
        default: break
        }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func setUpHeader(_ userAgent: String) throws(CurlProblem) {
        var headers = request.headers
        if headers["User-Agent"] == nil { headers["User-Agent"] = userAgent }
        if let body = request.body, headers["Content-Type"] == nil { headers["Content-Type"] = body.type }
        for name in Self.ofConnections { headers[name] = nil }
        for field in headers.fields {
            let value = ResponseHead.trimmed(field.value[...])
            // As libcurl has it: without a colon it is sent without a value.
            try handle.add(header: value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")
        }
        // Without a value it isn't sent: libcurl would call it a form, and wait for leave to send a long one.
        if headers["Content-Type"] == nil { try handle.add(header: "Content-Type:") }
        try handle.add(header: "Expect:")
    }

    /// Those that libcurl writes itself, by what it does.
    private static let ofConnections = ["Content-Length", "Expect", "Transfer-Encoding"]

    // MARK: What comes

    private func setUpCallbacks() throws(CurlProblem) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try handle.set(CURLOPT_HEADERDATA, context: context)
        try handle.set(CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
            Hop.at(context)?.takeHeader(UnsafeRawBufferPointer(start: bytes, count: count)) == true ? count : 0
        }
        try handle.set(CURLOPT_WRITEDATA, context: context)
        try handle.set(CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            Hop.at(context)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: count)) == true ? count : 0
        }
        try handle.set(
            open: { context, _, address in
                guard let hop = Hop.at(context), let address, hop.mayOpen(address) else { return CURL_SOCKET_BAD }
                return heybot_curl_open_socket(address)
            },
            ready: { context, address, _, _, _ in
                guard let hop = Hop.at(context), let address, hop.mayAsk(String(cString: address)) else {
                    return CURL_PREREQFUNC_ABORT
                }
                return CURL_PREREQFUNC_OK
            }, context: context)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> Hop? {
        context.map { Unmanaged<Hop>.fromOpaque($0).takeUnretainedValue() }
    }

    private func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        let isTaken = head.add(line)
        if !isTaken {
            refusal = HTTPError(.tooLong, host: url.host, "its header is over \(ResponseHead.limit >> 10) KB")
            return false
        }
        // Each coding may multiply the bytes by a thousand, and libcurl unpacks all that one read yields before it returns:
        // a few kilobytes packed several times would stop this thread for hours, even if nothing comes out in the end.
        if !head.isOpen, head.codings > 1 {
            refusal = HTTPError(.broken, host: url.host, "what it answers is packed more than once")
            return false
        }
        return true
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= request.limit - body.count else {
            refusal = HTTPError(.tooLong, host: url.host, "over \(request.limit) bytes")
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    // MARK: Whom it may reach

    private func mayOpen(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let isAllowed else { return true }
        let mayOpen = heybot_curl_address(address).flatMap { IPAddress($0) }.map(isAllowed) ?? false
        if mayOpen { hasTried = true } else { hasRefused = true }
        return mayOpen
    }

    /// A connection may be there from a request that might reach more.
    private func mayAsk(_ address: String) -> Bool {
        guard let isAllowed else { return true }
        if let ip = IPAddress(address), isAllowed(ip) { return true }
        refusal = HTTPError(.notPublic, host: url.host)
        return false
    }

    // MARK: What came

    func outcome(_ result: CURLcode) throws(HTTPError) -> Outcome {
        if let refusal { throw refusal }
        guard result == CURLE_OK else {
            if hasRefused, !hasTried { throw HTTPError(.notPublic, host: url.host) }
            var problem = CurlProblem(result)
            problem.systemError = Int32(truncatingIfNeeded: handle.number(CURLINFO_OS_ERRNO))
            problem.verification = handle.number(CURLINFO_SSL_VERIFYRESULT)
            problem.proxyStatus = handle.number(CURLINFO_HTTP_CONNECTCODE)
            throw problem.error(url.host)
        }
        // To libcurl a header is over when the connection is.
        if head.isOpen { throw CurlProblem(CURLE_PARTIAL_FILE).error(url.host) }
        let status = handle.number(CURLINFO_RESPONSE_CODE)
        let location = handle.text(CURLINFO_REDIRECT_URL)
        if let next = try Redirect.next(after: request, status: status, location: location) { return .redirect(next) }
        return .answer(HTTPResponse(url: url.text, status: status, headers: head.headers, body: body))
    }
}

extension Duration {
    /// Rounded up, and no more than libcurl can count.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return 2_000_000_000 }
        return max(Int(seconds) * 1_000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000), 0)
    }
}
