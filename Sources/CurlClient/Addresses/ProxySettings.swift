/// The proxies for requests, by the scheme of the request's URL.
///
/// A proxy is a URL, such as `http://proxy.example.org:3128` or `socks5h://127.0.0.1`; the default scheme is `http`.
public struct ProxySettings: Hashable, Sendable {
    /// The proxy for `http`.
    public var http: String?
    /// The proxy for `https`.
    public var https: String?
    /// The hosts that need no proxy, separated by commas: domains, including subdomains, addresses and networks; or `*` for
    /// all.
    public var exceptions: String

    /// Creates proxy settings, by default without proxies.
    public init(http: String? = nil, https: String? = nil, exceptions: String = "") {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// Reads the environment as curl does: `http_proxy`, `https_proxy`, `all_proxy` as the default of both, and `no_proxy`.
    ///
    /// If a variable is empty or unset, its name in upper case is read, except `HTTP_PROXY`: in a CGI program its value comes
    /// from the client.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func either(_ name: String) -> String? { value(name) ?? value(name.uppercased()) }
        let all = either("all_proxy")
        self.init(
            http: value("http_proxy") ?? all, https: either("https_proxy") ?? all, exceptions: either("no_proxy") ?? "")
    }

    /// Returns the proxy for a scheme in lower case.
    func proxy(for scheme: String) -> String? {
        scheme == "https" ? https : http
    }
}
