import CurlClient
import FoundationEssentials
import Heybot
import HeybotWebServer

extension Settings {
    /// The settings of the web server.
    struct Web: Sendable {
        var isOn = true
        /// The port.
        ///
        /// If it is set, the server runs even if no script has a route.
        var port: Int?
        var user: String?
        var password: String?
        /// The other settings.
        var server = NIOHTTPServer.Configuration()
    }

    /// The settings of the scripts' HTTP client.
    struct HTTP: Sendable {
        var client = CurlHTTPClient.Configuration()
    }
}

extension Settings.HTTP {
    /// The client's configuration, with the proxies from the environment's usual variables.
    func configuration(version: String, environment: [String: String]) -> CurlHTTPClient.Configuration {
        var configuration = client
        configuration.userAgent = "Heybot/\(version)"
        configuration.proxies = ProxySettings(environment: environment)
        return configuration
    }
}

extension Settings.Web {
    /// The server's configuration; nil if it is disabled.
    var configuration: NIOHTTPServer.Configuration? {
        guard isOn else { return nil }
        var configuration = server
        configuration.startsWithoutRoutes = port != nil
        if let port { configuration.port = port }
        if let user, let password { configuration.credentials = .init(user: user, password: password) }
        return configuration
    }

    /// Missing and invalid settings.
    var problems: [SettingsProblem] {
        var problems: [SettingsProblem] = []
        if user != nil, password == nil {
            problems.append(.missing("HEYBOT_HTTPD_PASSWORD", "HEYBOT_HTTPD_USER needs a password"))
        }
        if user == nil, password != nil {
            problems.append(.missing("HEYBOT_HTTPD_USER", "HEYBOT_HTTPD_PASSWORD needs a user"))
        }
        var isFolder = false
        if let files = server.files, !FileManager.default.fileExists(atPath: files, isDirectory: &isFolder) || !isFolder
        {
            problems.append(
                SettingsProblem(
                    line: "HEYBOT_HTTPD_STATIC: \(files) isn't a directory",
                    fix: "set HEYBOT_HTTPD_STATIC to a directory, or unset it")
            )
        }
        return problems
    }
}

extension Setting {
    /// The settings of the web server and HTTP client.
    ///
    /// Hosts and Hubot have other names for some.
    static let web: [Setting] = [
        Setting(
            "HTTPD", key: "httpd.on", \.web.isOn, .flag,
            "whether to run the web server, which starts if a script has a route or PORT is set; `-d` disables it"
        ),
        Setting(
            "PORT", key: "httpd.port", \.web.port, .port,
            "the port of the web server", fallback: "8080",
            others: ["EXPRESS_PORT", "PORT"]),
        Setting(
            "BIND_ADDRESS", key: "httpd.bindAddress", \.web.server.address, .text("an address such as 127.0.0.1"),
            "the address the web server listens on", others: ["EXPRESS_BIND_ADDRESS", "BIND_ADDRESS"]),
        Setting(
            "HTTPD_USER", key: "httpd.user", \.web.user, .optional(),
            "the user name for HTTP basic authentication", others: ["EXPRESS_USER", "CONNECT_USER"]),
        Setting(
            "HTTPD_PASSWORD", key: "httpd.password", \.web.password, .optional(),
            "the password for HTTP basic authentication",
            isSecret: true, others: ["EXPRESS_PASSWORD", "CONNECT_PASSWORD"]),
        Setting(
            "HTTPD_STATIC", key: "httpd.static", \.web.server.files, .path,
            "a directory of static files to serve", others: ["EXPRESS_STATIC"]),
        Setting(
            "HTTPD_LIMIT", key: "httpd.limit", \.limits.body, .bytes,
            "the maximum size of a request's body, such as `100kb` or `2mb`", others: ["EXPRESS_LIMIT"]),
        Setting(
            "HTTP_CA_FILE", key: "http.caFile", \.http.client.authorities, .path,
            "CA certificates (PEM) that scripts' web requests trust instead of the system's"),
        Setting(
            "HTTP_SSRF_GUARD", key: "http.ssrfGuard", formerly: ("HTTP_GUARD", "http.guard"),
            \.http.client.blocksPrivateAddresses, .flag,
            "whether URLs from chat may reach public addresses only, never this machine or its network")
    ]
}

extension ValueParser where Value == Int {
    /// A size in bytes, such as `100kb`.
    static let bytes = ValueParser(
        shape: .text, expected: "a size from 1kb to 100mb",
        read: { text in
            let units = ["kb": 1 << 10, "mb": 1 << 20, "b": 1]
            guard let match = text.lowercased().wholeMatch(of: /([0-9.]+) ?([km]?b)?/),
                let number = Double(match.1)
            else { return nil }
            let bytes = number * Double(match.2.flatMap { units[String($0)] } ?? 1)
            return 1_024...104_857_600 ~= bytes ? Int(bytes) : nil
        }, show: { $0 % (1 << 20) == 0 ? "\($0 >> 20)mb" : $0 % (1 << 10) == 0 ? "\($0 >> 10)kb" : "\($0)b" })
}
