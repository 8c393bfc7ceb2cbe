import Foundation
import NIOSSL

/// Certificates made with `openssl` for one run of the tests.
struct Certificates: Sendable {
    static let shared = Certificates()

    private let folder: URL

    func file(_ name: String) -> String { folder.appending(path: name).path }

    /// The configuration of a server with one of them.
    func server(_ name: String, clientsFrom authority: String? = nil) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(file("\(name).pem")).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: file("\(name).key"), format: .pem)))
        if let authority {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .file(file(authority))
        }
        return configuration
    }

    private init() {
        folder = FileManager.default.temporaryDirectory.appending(path: "sockets-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-ec", Self.script]
        shell.currentDirectoryURL = folder
        shell.standardError = FileHandle.nullDevice
        shell.standardOutput = FileHandle.nullDevice
        guard (try? shell.run()) != nil else { return }
        shell.waitUntilExit()
        atexit { try? FileManager.default.removeItem(at: Certificates.shared.folder) }
    }

    private static let script = #"""
        key="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        root() {
            openssl req -x509 $key -keyout $1.key -out $1.pem -days 30 -subj "/CN=$2" \
                -addext "basicConstraints=critical,CA:TRUE"
        }
        leaf() {
            openssl req -new $key -keyout $1.key -out $1.csr -subj "/CN=$3"
            echo "subjectAltName=$4" > $1.ext
            openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -out $1.pem -days 30 -extfile $1.ext
        }
        dated() {
            openssl req -new $key -keyout $1.key -out $1.csr -subj "/CN=localhost"
            echo "subjectAltName=DNS:localhost" > $1.ext
            : > index.txt
            openssl ca -batch -config ca.conf -in $1.csr -out $1.pem -notext -extfile $1.ext -startdate $2 -enddate $3
        }
        cat > ca.conf <<'END'
        [ca]
        default_ca = own
        [own]
        database = index.txt
        rand_serial = yes
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        policy = any
        [any]
        commonName = supplied
        END
        root ca "Test Authority"
        root stranger "Strange Authority"
        leaf good ca localhost "DNS:localhost,IP:127.0.0.1"
        leaf named ca localhost "DNS:localhost"
        leaf address ca address "IP:127.0.0.1"
        leaf wrong ca other "DNS:other.example.org,DNS:www.other.example.org"
        leaf strange stranger localhost "DNS:localhost"
        leaf client ca robot "DNS:robot"
        dated expired 20200101000000Z 20210101000000Z
        dated early 20900101000000Z 20910101000000Z
        openssl req -x509 $key -keyout self.key -out self.pem -days 30 -subj "/CN=localhost" \
            -addext "subjectAltName=DNS:localhost"
        cat client.pem client.key > both.pem
        openssl ec -in client.key -aes128 -passout pass:secret -out locked.key
        """#
}
