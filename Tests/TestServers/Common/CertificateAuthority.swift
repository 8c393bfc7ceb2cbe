import Foundation

/// A certificate authority for one test, which only that test trusts.
public final class CertificateAuthority: Sendable {
    /// A certificate and the key for it.
    public struct Certificate: Sendable {
        /// The path of the certificate, a PEM file.
        public let file: String
        /// The path of its key, an unencrypted PEM file.
        public let keyFile: String
        /// The SHA-256 of the certificate in DER, as hexadecimal digits in lower case without colons.
        public let fingerprint: String
    }

    private let folder: ScratchFolder

    /// The path of the authority's own certificate, a PEM file.
    public let file: String

    /// Creates an authority with the `openssl` command.
    public convenience init() async throws {
        try await self.init(in: ScratchFolder())
    }

    /// Creates an authority that keeps its files in a folder.
    public init(in folder: ScratchFolder) async throws {
        self.folder = folder
        file = folder.path("ca.pem")
        try await ChildProcess.run(
            Self.request + [
                "-x509", "-days", "2", "-subj", "/CN=Heybot's tests", "-keyout", folder.path("ca.key"), "-out", file
            ], in: folder)
    }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - names: Host names, and IP addresses as `IP:127.0.0.1`; the first is the common name too.
    ///   - days: How long it is valid; negative for an expired one.
    public func issue(_ names: [String], days: Int = 2) async throws -> Certificate {
        let base = folder.path("certificate-\(UUID().uuidString)")
        let (file, key, request) = ("\(base).pem", "\(base).key", "\(base).csr")
        let common = names.first.map { $0.replacing("IP:", with: "") } ?? "nobody"
        try await ChildProcess.run(
            Self.request + ["-subj", "/CN=\(common)", "-keyout", key, "-out", request], in: folder)
        let alternatives = names.map { $0.hasPrefix("IP:") ? $0 : "DNS:\($0)" }.joined(separator: ",")
        try Data((alternatives.isEmpty ? "" : "subjectAltName=\(alternatives)\n").utf8)
            .write(to: URL(filePath: "\(base).ext"))
        try await ChildProcess.run(
            [
                "openssl", "x509", "-req", "-in", request, "-CA", self.file, "-CAkey", folder.path("ca.key"),
                "-CAcreateserial", "-days", "\(days)", "-extfile", "\(base).ext", "-out", file
            ], in: folder)
        // Servers may run as a different user than the tests.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let said = try await ChildProcess.run(
            ["openssl", "x509", "-in", file, "-noout", "-fingerprint", "-sha256"], in: folder)
        let digits = said.split(separator: "=").last?.filter(\.isHexDigit).lowercased() ?? ""
        return Certificate(file: file, keyFile: key, fingerprint: digits)
    }

    private static let request = [
        "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"
    ]
}
