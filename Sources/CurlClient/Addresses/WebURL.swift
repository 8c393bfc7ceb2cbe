import CCurl
import Heybot

/// A URL with the scheme `http` or `https`, parsed by libcurl, which must be loaded.
struct WebURL: Hashable, Sendable {
    /// The URL as it is requested, without the user.
    let text: String
    /// `http` or `https`.
    let scheme: String
    /// The host in lower case; an IPv6 address is in brackets.
    let host: String
    let port: String
    /// The credentials, if the URL has a user.
    let user: HTTPAuthorization?

    /// Parses a URL; nil if it is invalid.
    init?(_ url: String) {
        guard Self.isStrict(url.utf8), let parser = heybot_curl_url() else { return nil }
        defer { heybot_curl_url_cleanup(parser) }
        guard heybot_curl_url_set(parser, CURLUPART_URL, url, UInt32(CURLU_URLENCODE)) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parser),
            // An internationalized name as Punycode.
            let host = Self.part(CURLUPART_HOST, of: parser, CURLU_PUNYCODE)?.lowercased(), !host.isEmpty,
            let port = Self.part(CURLUPART_PORT, of: parser, CURLU_DEFAULT_PORT), port != "0",
            ["http", "https"].contains(scheme)
        else { return nil }
        var user: HTTPAuthorization?
        if let name = Self.part(CURLUPART_USER, of: parser), !name.isEmpty {
            // libcurl refuses to decode control characters, which mustn't be sent.
            let password = Self.part(CURLUPART_PASSWORD, of: parser)
            guard let name = Self.part(CURLUPART_USER, of: parser, CURLU_URLDECODE),
                let decoded = Self.part(CURLUPART_PASSWORD, of: parser, CURLU_URLDECODE) ?? (password == nil ? "" : nil)
            else { return nil }
            user = .basic(user: name, password: decoded)
        }
        guard heybot_curl_url_set(parser, CURLUPART_HOST, host, 0) == CURLUE_OK,
            heybot_curl_url_set(parser, CURLUPART_USER, nil, 0) == CURLUE_OK,
            heybot_curl_url_set(parser, CURLUPART_PASSWORD, nil, 0) == CURLUE_OK,
            let text = Self.part(CURLUPART_URL, of: parser)
        else { return nil }
        (self.text, self.scheme, self.host, self.port, self.user) = (text, scheme, host, port, user)
    }

    /// Whether both URLs have the same scheme, host and port.
    func hasSameOrigin(as other: WebURL) -> Bool {
        (scheme, host, port) == (other.scheme, other.host, other.port)
    }

    /// Whether the host may be public: a public address, or a name that may be public.
    ///
    /// Never public are names without a dot, those reserved for local networks (RFC 6761, RFC 6762, RFC 8375, and `internal`,
    /// reserved by ICANN), and `localdomain`, which systems use for themselves.
    func mayBePublic(_ isPublic: (IPAddress) -> Bool) -> Bool {
        // An address may have a zone (RFC 6874).
        let bare = host.drop { $0 == "[" }.prefix { $0 != "]" && $0 != "%" }
        let name = String(bare.reversed().drop { $0 == "." }.reversed())
        if let address = IPAddress(name) { return isPublic(address) }
        guard let top = name.split(separator: ".").last, top.count < name.count else { return false }
        return !Self.localDomains.contains(String(top)) && !name.hasSuffix(".home.arpa")
    }

    private static let localDomains: Set = ["internal", "local", "localdomain", "localhost"]

    /// Whether the port belongs to another protocol, whose servers might interpret a request as commands: the ports that
    /// browsers block (https://fetch.spec.whatwg.org/#port-blocking).
    var hasPortOfAnotherProtocol: Bool { Self.portsOfOthers.contains(port) }

    private static let portsOfOthers: Set = [
        "1", "7", "9", "11", "13", "15", "17", "19", "20", "21", "22", "23", "25", "37", "42", "43", "53", "69", "77",
        "79",
        "87", "95", "101", "102", "103", "104", "109", "110", "111", "113", "115", "117", "119", "123", "135", "137",
        "139",
        "143", "161", "179", "389", "427", "465", "512", "513", "514", "515", "526", "530", "531", "532", "540", "548",
        "554",
        "556", "563", "587", "601", "636", "989", "990", "993", "995", "1719", "1720", "1723", "2049", "3659", "4045",
        "4190",
        "5060", "5061", "6000", "6566", "6665", "6666", "6667", "6668", "6669", "6679", "6697", "10080"
    ]

    /// Whether the URL has no spaces, no control characters, and a host in its place; libcurl is less strict.
    private static func isStrict(_ url: String.UTF8View) -> Bool {
        guard url.count <= 65_536, url.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        let colon = url.firstIndex(of: UInt8(ascii: ":")) ?? url.endIndex
        let rest = url[colon...]
        guard rest.starts(with: "://".utf8) else { return false }
        let authority = rest.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        return !authority.isEmpty && !authority.contains(UInt8(ascii: "\\"))
    }

    private static func part(_ part: CURLUPart, of parser: OpaquePointer, _ flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard heybot_curl_url_get(parser, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
        defer { heybot_curl_free(text) }
        return String(cString: text)
    }
}
