import CCurl
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error of libcurl, by its code: its texts may contain the URL.
struct CurlError: Error, Hashable {
    let result: CURLcode
    /// The system's error number; 0 if unknown.
    var systemError: Int32 = 0
    /// OpenSSL's verification result for the certificate.
    var verification = 0
    /// The status of a proxy's response to CONNECT.
    var proxyStatus = 0

    init(_ result: CURLcode) {
        self.result = result
    }

    /// Returns the error for a host.
    func error(_ host: String) -> HTTPError {
        let (code, detail) = meaning
        return HTTPError(code, host: host, detail)
    }

    private var meaning: (HTTPError.Code, String) {
        if proxyStatus >= 300 { return (.unreachable, "the proxy answered with status \(proxyStatus)") }
        return switch result {
        case CURLE_URL_MALFORMAT: (.badURL, "libcurl can't parse it")
        case CURLE_COULDNT_RESOLVE_HOST: (.unreachable, "its name can't be resolved")
        case CURLE_COULDNT_RESOLVE_PROXY: (.unreachable, "the proxy's name can't be resolved")
        case CURLE_PROXY: (.unreachable, "the proxy failed")
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: (.unreachable, connection)
        // Only the connection has a timeout in libcurl; the request's deadline is handled elsewhere.
        case CURLE_OPERATION_TIMEDOUT: (.unreachable, "the connection timed out")
        case CURLE_PEER_FAILED_VERIFICATION: (.untrusted, "its certificate \(certificate)")
        case CURLE_SSL_CACERT_BADFILE: (.untrusted, "the file with certificate authorities can't be read")
        case CURLE_SSL_CLIENTCERT, CURLE_SSL_CERTPROBLEM: (.untrusted, "it requires a client certificate")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            (.untrusted, "the TLS handshake failed")
        case CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (.untrusted, "its certificate isn't valid")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: (.broken, "the response isn't HTTP")
        case CURLE_GOT_NOTHING: (.broken, "it closed the connection without a response")
        case CURLE_PARTIAL_FILE: (.broken, "it closed the connection before the response was complete")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: (.broken, "the connection broke, or the response isn't HTTP")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: (.broken, "the response isn't valid HTTP/2")
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: (.broken, "the response can't be decompressed")
        case CURLE_OUT_OF_MEMORY: (.broken, "out of memory")
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            (.noClient, "install libcurl4 (this libcurl lacks a required feature)")
        default: (.broken, "libcurl error \(result.rawValue)")
        }
    }

    private var connection: String {
        switch systemError {
        case ECONNREFUSED: "it refuses the connection"
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: "there is no route to it"
        case EMFILE, ENFILE: "too many files are open"
        default: "it doesn't accept the connection"
        }
    }

    /// OpenSSL's results, shared by LibreSSL (x509_vfy.h).
    ///
    /// libcurl itself checks the name.
    private var certificate: String {
        switch verification {
        // 1 is the value before verification.
        case 0, 1, 62, 64: "is for another name"
        case 9: "isn't valid yet: check this machine's clock"
        case 10: "has expired"
        case 18: "is self-signed"
        case 2, 19, 20, 21: "is signed by an unknown authority"
        case 23: "is revoked"
        default: "isn't valid (OpenSSL error \(verification))"
        }
    }
}
