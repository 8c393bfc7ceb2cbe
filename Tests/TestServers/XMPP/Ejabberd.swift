import Foundation

extension XMPPServer {
    /// Returns the command that starts ejabberd with a configuration in a folder.
    ///
    /// It isn't `ejabberdctl`, which only runs as a certain user. Without a node name Erlang doesn't listen for other nodes,
    /// and doesn't start its port mapper (epmd), which would keep running.
    static func ejabberd(_ configuration: Configuration, in folder: ScratchFolder) throws -> [String] {
        let data = try folder.makeFolder("data")
        try folder.makeFolder("accounts")
        let file = try folder.write(text(configuration), to: "ejabberd.yml")
        // Debian puts it into the folder of the machine's architecture, where Erlang doesn't look.
        let libraries = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib")
            .filter { $0.contains("-linux-") }.map { "/usr/lib/\($0)" }.joined(separator: ":")
        return [
            "env", "HOME=\(folder.path)", "EJABBERD_CONFIG_PATH=\(file)", "ERL_CRASH_DUMP_BYTES=0",
            "EJABBERD_LOG_PATH=\(folder.path("ejabberd.log"))", "ERL_LIBS=\(libraries)",
            "erl", "-noinput", "+sbwt", "none", "-mnesia", "dir", "\"\(data)\"", "-s", "ejabberd",
            "-eval", registrar(for: configuration.domain)
        ]
    }

    /// Creates an account for each file in the folder `accounts`: the file's name is the account, its content the password.
    ///
    /// The file is deleted once the account is on the disk.
    private static func registrar(for domain: String) -> String {
        """
        Register = fun(Name) ->
            File = filename:join("accounts", Name),
            Path = filename:join(os:getenv("HOME"), File),
            {ok, Password} = file:read_file(Path),
            Account = unicode:characters_to_binary(Name),
            Result = ejabberd_auth:try_register(Account, <<"\(domain)">>, Password),
            mnesia:sync_log(),
            io:format("~ts: ~p~n", [Account, Result]),
            file:delete(Path)
        end,
        Watch = fun(Again) ->
            {ok, Names} = file:list_dir(filename:join(os:getenv("HOME"), "accounts")),
            lists:foreach(Register, Names),
            timer:sleep(50),
            Again(Again)
        end,
        spawn(fun() -> Watch(Watch) end).
        """
    }

    func registerAtEjabberd(_ account: String, _ password: String) async throws {
        let file = folder.path("accounts/\(account)")
        // Moved there when it is complete, because it is read as soon as it appears.
        let draft = try folder.write(password, to: "account-\(UUID().uuidString)")
        try FileManager.default.moveItem(atPath: draft, toPath: file)
        let end = ContinuousClock.now + .testLimit
        while FileManager.default.fileExists(atPath: file) {
            guard ContinuousClock.now < end else { throw TestServerError.failed("\(account) can't be made:\n\(log)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private static func text(_ configuration: Configuration) -> String {
        let refused = configuration.refusedMechanisms.joined(separator: ", ")
        let hasTLS = configuration.certificate != nil
        let listener = "ip: 127.0.0.1, module: ejabberd_c2s, access: all, backlog: 128"
        var text = """
            loglevel: info
            hosts: ["\(configuration.domain)"]
            acme: {auto: false}
            s2s_access: none
            auth_method: internal
            auth_password_format: plain
            disable_sasl_mechanisms: [\(refused)]
            listen:
              - {port: \(configuration.port), \(listener), starttls: \(hasTLS),
                 starttls_required: \(configuration.requiresTLS)}

            """
        if let port = configuration.tlsPort { text += "  - {port: \(port), \(listener), tls: true}\n" }
        let rooms = configuration.hasArchive ? ", default_room_options: {mam: true}" : ""
        text += """
            modules:
              mod_blocking: {}
              mod_caps: {}
              mod_carboncopy: {}
              mod_disco: {}
              mod_last: {}
              mod_muc: {host: "conference.\(configuration.domain)", history_size: \(configuration.history)\(rooms)}
              mod_offline: {}
              mod_ping: {}
              mod_privacy: {}
              mod_private: {}
              mod_roster: {}
              mod_stream_mgmt: {}
              mod_time: {}
              mod_version: {}

            """
        if configuration.hasArchive { text += "  mod_mam: {default: always}\n" }
        if configuration.hasBookmarks { text += "  mod_pubsub: {plugins: [flat, pep]}\n" }
        if let certificate = configuration.certificate {
            text += "certfiles: [\"\(certificate.file)\", \"\(certificate.keyFile)\"]\n"
        }
        return text
    }
}
