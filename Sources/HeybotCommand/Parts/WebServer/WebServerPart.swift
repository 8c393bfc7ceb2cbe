#if AllParts || WebServer
    import FoundationEssentials
    import Heybot
    import HeybotWebServer
    import Logging

    /// The web server.
    struct WebServerPart: RobotPart {
        let settings = Setting.web.grouped("web")

        func problems(in settings: SettingValues) -> [SettingsProblem] { settings.web.problems }

        func isServing(_ settings: SettingValues) -> Bool { settings.web.isOn }

        func webServer(
            _ resolved: ResolvedSettings, in process: ServingProcess, onListening: @escaping @Sendable (Int) -> Void
        ) -> (any CheckableWebServer)? {
            let web = resolved.settings.web
            var (configuration, portName) = (web.configured, "PORT")
            switch process {
            case .whole:
                guard web.isOn else { return nil }
            // A worker takes over from another one, but the first from nobody.
            case .worker(let number):
                guard web.isOn else { return nil }
                (configuration.sharesPort, configuration.requiresFreePort) = (true, number == 1)
            case .gateway:
                guard let port = web.gatewayPort else { return nil }
                (configuration.port, configuration.startsWithoutRoutes, configuration.files) = (port, true, nil)
                portName = "GATEWAY_PORT"
            }
            configuration.portSetting = resolved.location(of: portName) ?? configuration.portSetting
            configuration.isAddressChosen = resolved.location(of: "BIND_ADDRESS") != nil
            configuration.addressSetting = resolved.location(of: "BIND_ADDRESS") ?? "HEYBOT_BIND_ADDRESS"
            return NIOHTTPServer(configuration, logger: Logger(label: "heybot.web"), onListening: onListening)
        }
    }

    extension NIOHTTPServer: CheckableWebServer {
        var place: String { "\(configuration.address):\(configuration.port)" }
        var port: Int { configuration.port }
    }

    extension WebServerListenError: ListenErrorWithFix {}

    extension SettingValues {
        var web: Web {
            get { self[part: Web()] }
            set { self[part: Web()] = newValue }
        }

        /// The settings of the web server.
        struct Web: Sendable {
            var isOn = true
            /// The port.
            ///
            /// If it is set, the server runs even if no script has a route.
            var port: Int?
            /// The port of a gateway that is linked with workers by a Redis.
            var gatewayPort: Int?
            var user: String?
            var password: String?
            /// The other settings.
            var server = NIOHTTPServer.Configuration()
        }
    }

    extension SettingValues.Web {
        /// The server's configuration; nil if it is disabled.
        var configuration: NIOHTTPServer.Configuration? { isOn ? configured : nil }

        /// The server's configuration, also if it is disabled.
        fileprivate var configured: NIOHTTPServer.Configuration {
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
            if let files = server.files,
                !FileManager.default.fileExists(atPath: files, isDirectory: &isFolder) || !isFolder
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
        /// The settings of the web server.
        ///
        /// Hosts and Hubot have other names for some.
        static let web: [Setting] = [
            Setting(
                "HTTPD", key: "httpd.on", \.web.isOn, .flag,
                "whether the web server may run. It starts if PORT is set or a script has a route; `-d` disables it"
            ),
            Setting(
                "PORT", key: "httpd.port", \.web.port, .port,
                "the port of the web server", fallback: "8080",
                others: ["EXPRESS_PORT", "PORT"]),
            Setting(
                "GATEWAY_PORT", key: "httpd.gatewayPort", \.web.gatewayPort, .port,
                "the port at which `heybot gateway` serves `/healthz` and `/metrics`", isAdvanced: true),
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
                "the maximum size of a request's body, such as `100kb` or `2mb`", others: ["EXPRESS_LIMIT"],
                isAdvanced: true)
        ]
    }
#endif
