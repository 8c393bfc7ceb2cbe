import Foundation

extension IRCServer {
    /// Whether Debian's inspircd is installed here.
    public static let hasInspIRCd = mayUse("/usr/sbin/inspircd")

    /// How an inspircd treats clients that send a lot.
    public enum FloodRule: Sendable {
        /// No limit.
        case none
        /// It delays them, as by default: one command a second after the first ten.
        case slows
        /// It disconnects them after more than ten commands in ten seconds (`Excess Flood`).
        case throwsOut
    }

    /// Starts an inspircd: a server with all of IRCv3 that Debian's has.
    ///
    /// - Parameters:
    ///   - services: whether it has services: NickServ, ChanServ and SASL by PLAIN and EXTERNAL.
    ///   - tls: the certificate of its TLS port.
    ///   - floods: what it does to clients that say much.
    ///   - password: what clients have to say first (PASS).
    ///   - without: modules that it doesn't load, such as `ircv3_accounttag`.
    ///   - pingAfter: how many seconds are between its questions whether a client is still there.
    ///   - demandsTLS: whether it demands TLS of those who connect to `localhost` (IRCv3 STS), for five minutes.
    /// - Throws: ``TestServerError`` if something isn't installed or doesn't start.
    public static func inspircd(
        services: Bool = false, tls: ServerCertificate = .none, floods: FloodRule = .none, password: String? = nil,
        without: Set<String> = [], pingAfter: Int = 120, demandsTLS: Bool = false
    ) async throws -> IRCServer {
        guard hasInspIRCd else { throw TestServerError.missing("inspircd") }
        guard !services || hasServices else { throw TestServerError.missing("atheme-services") }
        return try await started {
            let folder = try ScratchFolder()
            let (port, linkPort) = (try Port.free(), try Port.free())
            let issued = try await tls.issued(in: folder, for: ["irc.test"])
            let tlsPort = try issued.map { _ in try Port.free() }
            var text = common(folder, port, linkPort, floods, password, pingAfter)
            text += modules(withTLS: tlsPort != nil).filter { !without.contains($0) }.map {
                "<module name=\"\($0)\">\n"
            }.joined()
            if let tlsPort, let certificate = issued?.1 {
                text += """
                    <bind address="127.0.0.1" port="\(tlsPort)" type="clients" sslprofile="tests">
                    <sslprofile name="tests" provider="gnutls" certfile="\(certificate.file)"
                        keyfile="\(certificate.keyFile)" hash="sha256" requestclientcert="yes">

                    """
                if demandsTLS {
                    text += """
                        <module name="ircv3_sts">
                        <sts host="localhost" duration="5m" port="\(tlsPort)">

                        """
                }
            }
            let file = try folder.write(text, to: "inspircd.conf")
            let words = ["/usr/sbin/inspircd", "--nofork", "--nopid", "--config", file]
            let programs =
                [Program(words: words, ports: [port] + (tlsPort.map { [$0] } ?? []))]
                + (services ? [try servicesProgram(in: folder, linkPort: linkPort)] : [])
            return IRCServer(
                folder, programs, port: port, tlsPort: tlsPort, authority: issued?.0, logs: ["ircd.log"],
                isReady: { if services { try await waitForServices(port) } })
        }
    }

    private static func common(
        _ folder: ScratchFolder, _ port: Int, _ linkPort: Int, _ floods: FloodRule, _ password: String?,
        _ pingAfter: Int
    ) -> String {
        let flood =
            switch floods {
            case .none: #"threshold="100000" commandrate="1000000" fakelag="no" recvq="1M""#
            case .slows: #"threshold="10" commandrate="1000" fakelag="yes" recvq="10K""#
            case .throwsOut: #"threshold="10" commandrate="1000" fakelag="no" recvq="10K""#
            }
        return """
            <server name="irc.test" description="a server of the tests" network="Tests" id="1IN">
            <admin name="tests" nick="tests" email="tests@irc.test">
            <bind address="127.0.0.1" port="\(linkPort)" type="servers">
            <bind address="127.0.0.1" port="\(port)" type="clients">
            <connect name="tests" allow="*" timeout="300" pingfreq="\(pingAfter)" hardsendq="1M" softsendq="512K"
                \(flood) localmax="1000" globalmax="1000" maxconnwarn="no" resolvehostnames="no" useident="no"
                limit="5000" \(password.map { "password=\"\($0)\"" } ?? "")>
            <class name="all" commands="*" privs="*" usermodes="*" chanmodes="*" snomasks="*">
            <type name="all" classes="all">
            <oper name="\(oper.name)" password="\(oper.password)" host="*@*" type="all">
            <log method="file" type="* -USERINPUT -USEROUTPUT" level="default" target="\(folder.path("ircd.log"))">
            <options casemapping="rfc1459" defaultmodes="nt">
            <limits maxnick="30" maxchan="64" maxident="10" maxhost="64" maxtopic="307" maxkick="255">
            <sasl target="services.test">
            <uline server="services.test" silent="yes">
            <link name="services.test" ipaddr="127.0.0.1" port="\(linkPort)" allowmask="127.0.0.0/8"
                sendpass="link" recvpass="link">

            """
    }

    /// The installed ones of the wanted modules: it doesn't start if a configured module is missing.
    private static func modules(withTLS: Bool) -> [String] {
        let wanted = [
            "botmode", "cap", "chghost", "deaf", "ircv3", "ircv3_accounttag", "ircv3_batch", "ircv3_capnotify",
            "ircv3_chghost", "ircv3_ctctags", "ircv3_echomessage", "ircv3_invitenotify", "ircv3_labeledresponse",
            "ircv3_msgid", "ircv3_servertime", "knock", "monitor", "namesx", "remove", "sajoin", "samode", "sanick",
            "sapart", "sasl", "services_account", "setname", "sha256", "spanningtree", "svshold", "uhnames"
        ]
        let installed = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/inspircd/modules")) ?? []
        return (wanted + (withTLS ? ["ssl_gnutls", "sslinfo"] : [])).filter { installed.contains("m_\($0).so") }
    }

    /// Waits until clients can log in.
    private static func waitForServices(_ port: Int) async throws {
        let end = ContinuousClock.now + .testLimit
        while ContinuousClock.now < end {
            let client = try RawIRCClient(port: port)
            client.send("CAP LS 302")
            if try await client.expect(" LS ").contains("sasl=") { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TestServerError.failed("the services didn't come")
    }
}
