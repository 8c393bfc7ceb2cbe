import CurlClient
import FoundationEssentials
import Heybot
import HeybotWebServer

extension Settings {
    /// What is set of the web server.
    struct Web: Sendable {
        var isOn = true
        /// If it is set, the server runs even if no script has a route of its own.
        var port: Int?
        var user: String?
        var password: String?
        /// The rest.
        var server = HummingbirdServer.Configuration()
    }

    /// What is set of how scripts reach the web.
    struct HTTP: Sendable {
        var client = CurlHTTPClient.Configuration()
    }
}

extension Settings.HTTP {
    /// What the client wants to know; the proxies are those that the environment names, as for other programs.
    func configuration(version: String, environment: [String: String]) -> CurlHTTPClient.Configuration {
        var configuration = client
        configuration.userAgent = "Heybot/\(version)"
        configuration.proxies = Proxies(environment: environment)
        return configuration
    }
}

extension Settings.Web {
    /// What the server wants to know; nil if there is to be none.
    var configuration: HummingbirdServer.Configuration? {
        guard isOn else { return nil }
        var configuration = server
        configuration.isWantedAnyway = port != nil
        if let port { configuration.port = port }
        if let user, let password { configuration.credentials = .init(user: user, password: password) }
        return configuration
    }

    /// What is missing, or doesn't go together.
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
                    line: "HEYBOT_HTTPD_STATIC: \(files) is no folder",
                    cure: "set HEYBOT_HTTPD_STATIC to one, or unset it")
            )
        }
        return problems
    }
}

extension Setting {
    /// Those of the web server; hosts and Hubot have names of their own for them.
    static let web: [Setting] = [
        Setting(
            "HTTPD", key: "httpd.on", \.web.isOn, .flag,
            "whether there is a web server; `-d` says no. It runs where a script has a route of its own, or PORT is set"
        ),
        Setting(
            "PORT", key: "httpd.port", \.web.port, .port, "the port the web server listens at", fallback: "8080",
            others: ["EXPRESS_PORT", "PORT"]),
        Setting(
            "BIND_ADDRESS", key: "httpd.bindAddress", \.web.server.address, .text("an address such as 127.0.0.1"),
            "the address the web server listens at", others: ["EXPRESS_BIND_ADDRESS", "BIND_ADDRESS"]),
        Setting(
            "HTTPD_USER", key: "httpd.user", \.web.user, .optional(),
            "the user whom the web server answers, and nobody else", others: ["EXPRESS_USER", "CONNECT_USER"]),
        Setting(
            "HTTPD_PASSWORD", key: "httpd.password", \.web.password, .optional(), "that user's password",
            isSecret: true, others: ["EXPRESS_PASSWORD", "CONNECT_PASSWORD"]),
        Setting(
            "HTTPD_STATIC", key: "httpd.static", \.web.server.files, .path,
            "a folder whose files the web server shows where no script answers", others: ["EXPRESS_STATIC"]),
        Setting(
            "HTTPD_LIMIT", key: "httpd.limit", \.limits.body, .bytes,
            "how long a request's body may be, as `100kb` or `2mb`", others: ["EXPRESS_LIMIT"]),
        Setting(
            "HTTP_CA_FILE", key: "http.caFile", \.http.client.authorities, .path,
            "certificates (PEM) of the authorities that scripts' web requests trust, in place of the system's"),
        Setting(
            "HTTP_GUARD", key: "http.guard", \.http.client.guardsChat, .flag,
            "whether URLs that came from chat reach public addresses only, never this machine or its network")
    ]
}

extension Kind where Value == Int {
    /// A size in bytes.
    static let bytes = Kind(
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
