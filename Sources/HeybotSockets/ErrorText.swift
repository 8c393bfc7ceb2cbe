import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Describes errors of the system and of NIO.
enum ErrorText {
    static func describe(_ error: any Error) -> String {
        switch error {
        case let error as IOError: describe(error.errnoCode)
        case ChannelError.ioOnClosedChannel, ChannelError.eof: "closed by peer"
        default: "\(error)"
        }
    }

    private static func describe(_ code: CInt) -> String {
        switch code {
        case ECONNRESET: "connection reset by peer"
        case EPIPE: "closed by peer"
        default: String(cString: strerror(code)).lowercased()
        }
    }

    /// Describes why none of a host's addresses accepted the connection, by the most informative failure.
    static func describe(_ failures: [SingleConnectionFailure]) -> String {
        // Without IPv6, every such address fails with one of these.
        let uninformative: Set<CInt> = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]
        let informative = failures.first { !uninformative.contains(($0.error as? IOError)?.errnoCode ?? 0) }
        return (informative ?? failures.first).map { describe($0.error) } ?? "no address"
    }
}
