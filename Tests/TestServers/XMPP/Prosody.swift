import Foundation

extension XMPPServer {
    /// Returns the command that starts Prosody with a configuration in a folder.
    static func prosody(_ configuration: Configuration, in folder: ScratchFolder) throws -> [String] {
        let data = try folder.makeFolder("data")
        // Prosody couldn't create these if only their owner may write to the folder.
        try folder.makeFolder("data/\(encoded(configuration.domain))")
        try folder.makeFolder("data/\(encoded(configuration.domain))/accounts")
        let refused = configuration.refusedMechanisms.map { "\"\($0)\"" }.joined(separator: ", ")
        let (hasTLS, tlsPorts) = (configuration.certificate != nil, configuration.tlsPort.map { "\($0)" } ?? "")
        let more =
            (configuration.hasArchive ? "\"mam\"," : "") + (configuration.hasBookmarks ? "\"pep\"," : "")
        var text = """
            interfaces = { "127.0.0.1" }
            c2s_ports = { \(configuration.port) }
            c2s_direct_tls_ports = { \(tlsPorts) }
            http_ports = { }
            component_ports = { \(configuration.componentPort.map { "\($0)" } ?? "") }
            https_ports = { }
            daemonize = false
            data_path = "\(data)"
            certificates = "\(folder.path)"
            log = { info = "*console" }
            modules_enabled = {
                "blocklist", "carbons", "disco", "offline", "ping", "private", "roster", "saslauth", "smacks", "time",
                \(more) \(hasTLS ? "\"tls\"," : "") \(configuration.rate == nil ? "" : "\"limits\",") "version"
            }
            \(configuration.rate.map { "limits = { c2s = { rate = \"\($0)\" } }" } ?? "")
            default_archive_policy = true
            modules_disabled = { "s2s" }
            authentication = "internal_plain"
            storage = "internal"
            c2s_require_encryption = \(configuration.requiresTLS)
            allow_unencrypted_plain_auth = \(configuration.allowsPlainWithoutTLS)
            disable_sasl_mechanisms = { \(refused) }

            """
        if let certificate = configuration.certificate {
            let files = "{ certificate = \"\(certificate.file)\"; key = \"\(certificate.keyFile)\" }"
            text += """
                ssl = \(files)
                c2s_direct_tls_ssl = \(files)

                """
        }
        text += """
            VirtualHost "\(configuration.domain)"
            Component "conference.\(configuration.domain)" "muc"
                max_history_messages = \(configuration.history)
                \(configuration.hasArchive ? "modules_enabled = { \"muc_mam\" }" : "")

            """
        if configuration.takesFiles {
            try folder.makeFolder("data/\(encoded("upload.\(configuration.domain)"))")
            text += """
                Component "upload.\(configuration.domain)" "http_file_share"
                    http_file_share_base_url = "https://upload.\(configuration.domain)/share"

                """
        }
        if configuration.componentPort != nil {
            text += """
                Component "strangers.\(configuration.domain)"
                    component_secret = "\(XMPPComponent.secret)"

                """
        }
        return ["prosody", "-F", "--config", try folder.write(text, to: "prosody.cfg.lua")]
    }

    func registerAtProsody(_ account: String, _ password: String) throws {
        let quoted = password.utf8.map { "\\" + String("000\($0)".suffix(3)) }.joined()
        let name = "data/\(Self.encoded(domain))/accounts/\(Self.encoded(account)).dat"
        try folder.write("return { [\"password\"] = \"\(quoted)\" };\n", to: name)
    }

    /// Returns the file name that Prosody uses for a text.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            return byte < 0x80 && (character.isLetter || character.isNumber)
                ? String(character) : "%" + String("0\(String(byte, radix: 16))".suffix(2))
        }
        .joined()
    }
}
