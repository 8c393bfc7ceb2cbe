/// The proxies that requests go through, by the scheme of their URLs.
///
/// A proxy is a URL, such as `http://proxy.example.org:3128` or `socks5h://127.0.0.1`; without a scheme it is one of HTTP.
public struct Proxies: Hashable, Sendable {
    /// That for `http`.
    public var http: String?
    /// That for `https`.
    public var https: String?
    /// The hosts that are asked without one: names with all below them, addresses and networks, with commas between, or
    /// `*` for all.
    public var exceptions: String

    /// None unless told otherwise.
    public init(http: String? = nil, https: String? = nil, exceptions: String = "") {
        self.http = http
        self.https = https
        self.exceptions = exceptions
    }

    /// Those that an environment names, as curl reads it: `http_proxy`, `https_proxy`, `all_proxy` for those that aren't
    /// there, and `no_proxy`.
    ///
    /// If one is empty or isn't there, its name in upper case counts, but for `HTTP_PROXY`: a CGI program has that from
    /// whoever asks it.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func either(_ name: String) -> String? { value(name) ?? value(name.uppercased()) }
        let all = either("all_proxy")
        self.init(
            http: value("http_proxy") ?? all, https: either("https_proxy") ?? all, exceptions: either("no_proxy") ?? "")
    }

    /// That for a scheme, in lower case.
    func proxy(for scheme: String) -> String? {
        scheme == "https" ? https : http
    }
}
