import Foundation

/// An HTTP server as it's used out there, by Debian's `nginx`, with its module `echo`.
///
/// It listens on 127.0.0.1 and 127.0.0.2.
///
/// It has nothing of its own that changes.
public final class Nginx: RunningServer, @unchecked Sendable {
    private static let path = "/usr/sbin/nginx"
    private static let module = "/usr/lib/nginx/modules/ngx_http_echo_module.so"

    /// Whether Debian's `nginx-light` is installed here.
    public static let isInstalled = [path, module].allSatisfy(FileManager.default.fileExists(atPath:))

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - locations: what it has, as in nginx.conf; `files` is a folder of its own to serve from.
    ///   - certificate: what it shows on its port for TLS, if it also speaks HTTP/2.
    /// - Throws: ``ServersError`` if it isn't installed or doesn't start.
    public static func start(_ locations: String, certificate: ServerCertificate = .none) async throws -> Nginx {
        guard isInstalled else { throw ServersError.missing("nginx-light") }
        return try await started {
            let folder = try ScratchFolder()
            let issued = try await certificate.issued(in: folder, for: [])
            return try Nginx(locations, in: folder, issued?.0, issued?.1)
        }
    }

    private init(
        _ locations: String, in folder: ScratchFolder, _ authority: CertificateAuthority?,
        _ certificate: CertificateAuthority.Certificate?
    ) throws {
        let port = try Port.free()
        let tlsPort = try authority.map { _ in try Port.free() }
        try folder.makeFolder("files")
        var lines = ["listen 127.0.0.1:\(port); listen 127.0.0.2:\(port);"]
        if let tlsPort, let certificate {
            lines += [
                "listen 127.0.0.1:\(tlsPort) ssl http2; listen 127.0.0.2:\(tlsPort) ssl http2;",
                "ssl_certificate \(certificate.file); ssl_certificate_key \(certificate.keyFile);"
            ]
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path($0));" }.joined(separator: "\n")
        // One process: a worker would outlive a master that is killed.
        let file = try folder.write(
            """
            load_module \(Self.module);
            daemon off; master_process off; pid \(folder.path("pid")); error_log stderr;
            events { worker_connections 2048; }
            http {
                log_format tests '$server_addr $connection $request_method $request_uri $server_protocol $status';
                access_log \(folder.path("access.log")) tests;
                \(temporary)
                default_type application/octet-stream; keepalive_requests 100000; client_max_body_size 64m;
                server {
                    \(lines.joined(separator: "\n"))
                    root \(folder.path("files"));
                    \(locations)
                }
            }

            """, to: "nginx.conf")
        // Before it has read which file its errors go to, it would write to one that it may not.
        let program = Program(
            words: [Self.path, "-e", "stderr", "-p", folder.path, "-c", file],
            ports: [port] + (tlsPort.map { [$0] } ?? []))
        super.init(folder, [program], port: port, tlsPort: tlsPort, authority: authority, logs: ["access.log"])
    }

    /// The URL of something that it has.
    public func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// The URL of something that it has, by TLS.
    public func secureURL(_ path: String, host: String = "localhost") -> String {
        "https://\(host):\(tlsPort ?? 0)\(path)"
    }

    /// What it was asked: its address, the connection's number, the method, the path with the query, the version and the
    /// status, for each request that is over.
    public var requests: [Substring] { folder.read("access.log").split(separator: "\n") }
}
