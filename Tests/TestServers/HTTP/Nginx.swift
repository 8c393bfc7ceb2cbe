import Foundation

/// A real HTTP server: Debian's `nginx` with its module `echo`, listening on 127.0.0.1 and 127.0.0.2.
///
/// It has no mutable state of its own.
public final class Nginx: RunningServer, @unchecked Sendable {
    private static let path = "/usr/sbin/nginx"
    private static let module = "/usr/lib/nginx/modules/ngx_http_echo_module.so"

    /// Whether Debian's `nginx-light` is installed here.
    public static let isInstalled = mayUse(path, module)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - locations: Locations as in nginx.conf; `files` is a folder of its own to serve from.
    ///   - certificate: The certificate of its TLS port, which also speaks HTTP/2.
    /// - Throws: ``TestServerError`` if it isn't installed or doesn't start.
    public static func start(_ locations: String, certificate: ServerCertificate = .none) async throws -> Nginx {
        guard isInstalled else { throw TestServerError.missing("nginx-light") }
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
        // It listens in this order, and it is ready when 127.0.0.1 accepts connections.
        var lines = ["listen 127.0.0.2:\(port); listen 127.0.0.1:\(port);"]
        if let tlsPort, let certificate {
            lines += [
                "listen 127.0.0.2:\(tlsPort) ssl http2; listen 127.0.0.1:\(tlsPort) ssl http2;",
                "ssl_certificate \(certificate.file); ssl_certificate_key \(certificate.keyFile);"
            ]
        }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path($0));" }.joined(separator: "\n")
        // A single process, because workers would outlive a killed master.
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
        // Until it has read its configuration, it would write errors to a file without permission.
        let program = Program(
            words: [Self.path, "-e", "stderr", "-p", folder.path, "-c", file],
            ports: [port] + (tlsPort.map { [$0] } ?? []))
        super.init(folder, [program], port: port, tlsPort: tlsPort, authority: authority, logs: ["access.log"])
    }

    /// Returns the URL of a path.
    public func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    /// Returns the TLS URL of a path.
    public func secureURL(_ path: String, host: String = "localhost") -> String {
        "https://\(host):\(tlsPort ?? 0)\(path)"
    }

    /// The completed requests: address, connection number, method, path with query, HTTP version and status.
    public var requests: [Substring] { folder.read("access.log").split(separator: "\n") }
}
