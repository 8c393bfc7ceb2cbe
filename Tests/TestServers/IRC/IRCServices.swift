import Foundation

extension IRCServer {
    /// Whether Debian's atheme-services are installed here.
    public static let hasServices = mayUse("/usr/bin/atheme-services")

    /// The modules of the services.
    ///
    /// Debian's have no SCRAM (`saslserv/scram` isn't built): ``ScriptedIRCServer`` does that.
    private static let serviceModules = [
        "protocol/inspircd", "backend/opensex", "crypto/pbkdf2v2", "nickserv/main", "nickserv/cert", "nickserv/ghost",
        "nickserv/group", "nickserv/identify", "nickserv/info", "nickserv/logout", "nickserv/register",
        "nickserv/set_core", "nickserv/set_password", "chanserv/main", "chanserv/flags", "chanserv/op",
        "chanserv/register", "saslserv/main", "saslserv/plain", "saslserv/external", "nickserv/set_pubkey",
        "saslserv/ecdsa-nist256p-challenge"
    ]

    static func servicesProgram(in folder: ScratchFolder, linkPort: Int) throws -> Program {
        let robots = ["NickServ", "ChanServ", "SaslServ"].map { name in
            """
            \(name.lowercased()) { nick = "\(name)"; user = "\(name)"; host = "services.test"; real = "\(name)"; };

            """
        }
        let text =
            serviceModules.map { "loadmodule \"modules/\($0)\";\n" }.joined() + """
                serverinfo {
                    name = "services.test"; desc = "the services of the tests"; numeric = "00A"; recontime = 1;
                    netname = "Tests"; hidehostsuffix = "users.test"; adminname = "tests"; mta = "/bin/true";
                    adminemail = "tests@irc.test"; registeremail = "tests@irc.test"; loglevel = { error; info; };
                    maxlogins = 50; maxusers = 0; auth = none; casemapping = rfc1459;
                };
                uplink "irc.test" { host = "127.0.0.1"; port = \(linkPort); password = "link"; };
                pbkdf2v2 { digest = SHA256; rounds = 10000; };
                general { commit_interval = 5; flood_msgs = 0; ratelimit_uses = 0; default_clone_allowed = 1000; };
                operclass "user" { };

                """ + robots.joined()
        let file = try folder.write(text, to: "atheme.conf")
        let data = try folder.makeFolder("data")
        let words = [
            "/usr/bin/atheme-services", "-n", "-c", file, "-D", data, "-l", "\(data)/atheme.log", "-p", "\(data)/pid"
        ]
        return Program(words: words, ports: [])
    }

    /// Registers an account with a nick of the same name.
    ///
    /// - Throws: ``TestServerError`` if there are no services, or they refuse it.
    public func register(account: String, password: String) async throws {
        let client = try RawIRCClient(port: port)
        try await client.register(account)
        client.send("PRIVMSG NickServ :REGISTER \(password) \(account)@irc.test")
        try await client.expect("NickServ", "is now registered")
        client.send("QUIT")
    }

    /// Adds a certificate to an account, for SASL EXTERNAL.
    ///
    /// - Parameter fingerprint: A certificate's fingerprint, such as `CertificateAuthority.Certificate.fingerprint`.
    /// - Throws: ``TestServerError`` if there are no services, or they refuse it.
    public func trust(_ fingerprint: String, for account: String, password: String) async throws {
        try await tellNickServ("CERT ADD \(fingerprint)", as: account, password, expecting: "Added fingerprint")
    }

    /// Gives an account the public half of a key, for SASL ECDSA-NIST256P-CHALLENGE.
    ///
    /// - Parameter publicKey: The compressed point, in Base64.
    /// - Throws: ``TestServerError`` if there are no services, or they refuse it.
    public func trust(publicKey: String, for account: String, password: String) async throws {
        try await tellNickServ("SET PUBKEY \(publicKey)", as: account, password, expecting: "public key is now set")
    }

    private func tellNickServ(
        _ command: String, as account: String, _ password: String, expecting answer: String
    ) async throws {
        let client = try RawIRCClient(port: port)
        try await client.register("trusting\(Int.random(in: 0..<10_000))")
        client.send("PRIVMSG NickServ :IDENTIFY \(account) \(password)")
        try await client.expect("You are now logged in as")
        client.send("PRIVMSG NickServ :\(command)")
        try await client.expect("NickServ", answer)
        client.send("QUIT")
    }
}
