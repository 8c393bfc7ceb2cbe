import CCurl
import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why libcurl has no answer, in its numbers: its texts may hold the URL.
struct CurlProblem: Error, Hashable {
    let result: CURLcode
    /// The system's error, 0 if it isn't known.
    var systemError: Int32 = 0
    /// What OpenSSL says of the certificate.
    var verification = 0
    /// What a proxy answered to CONNECT.
    var proxyStatus = 0

    init(_ result: CURLcode) {
        self.result = result
    }

    /// The error for a host.
    func error(_ host: String) -> HTTPError {
        let (code, detail) = meaning
        return HTTPError(code, host: host, detail)
    }

    private var meaning: (HTTPError.Code, String) {
        if proxyStatus >= 300 { return (.unreachable, "its proxy answers with status \(proxyStatus)") }
        return switch result {
        case CURLE_URL_MALFORMAT: (.badURL, "libcurl can't read it")
        case CURLE_COULDNT_RESOLVE_HOST: (.unreachable, "its name isn't known")
        case CURLE_COULDNT_RESOLVE_PROXY: (.unreachable, "its proxy's name isn't known")
        case CURLE_PROXY: (.unreachable, "its proxy doesn't do what it should")
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED: (.unreachable, connection)
        // There is no other deadline that libcurl knows of.
        case CURLE_OPERATION_TIMEDOUT: (.unreachable, "it takes too long to connect")
        case CURLE_PEER_FAILED_VERIFICATION: (.untrusted, "its certificate \(certificate)")
        case CURLE_SSL_CACERT_BADFILE: (.untrusted, "the authorities' certificates can't be read: check their file")
        case CURLE_SSL_CLIENTCERT, CURLE_SSL_CERTPROBLEM: (.untrusted, "it wants a certificate of ours")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            (.untrusted, "it doesn't speak TLS, or no version of it that we do")
        case CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (.untrusted, "its certificate isn't valid")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: (.broken, "what it answers is no HTTP")
        case CURLE_GOT_NOTHING: (.broken, "it ended the connection without an answer")
        case CURLE_PARTIAL_FILE: (.broken, "it ended the connection before all had come")
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR: (.broken, "the connection broke, or what came is no HTTP")
        case CURLE_HTTP2, CURLE_HTTP2_STREAM: (.broken, "what it answers is no HTTP/2")
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR: (.broken, "what it answers can't be unpacked")
        case CURLE_OUT_OF_MEMORY: (.broken, "there is no memory left")
        case CURLE_UNKNOWN_OPTION, CURLE_NOT_BUILT_IN:
            (.noClient, "this libcurl lacks what is needed: install libcurl4")
        default: (.broken, "libcurl's error \(result.rawValue)")
        }
    }

    private var connection: String {
        switch systemError {
        case ECONNREFUSED: "it refuses the connection"
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: "no way leads there"
        case EMFILE, ENFILE: "too many files are open"
        default: "nobody takes the connection"
        }
    }

    /// By OpenSSL's numbers, which LibreSSL shares (x509_vfy.h); libcurl itself looks at the name.
    private var certificate: String {
        switch verification {
        // 1 is what it was before anybody asked.
        case 0, 1, 62, 64: "is for another name"
        case 9: "isn't valid yet: check this machine's clock"
        case 10: "has expired"
        case 18: "is signed by itself"
        case 2, 19, 20, 21: "is signed by nobody we know"
        case 23: "is revoked"
        default: "isn't valid (OpenSSL's reason \(verification))"
        }
    }
}
