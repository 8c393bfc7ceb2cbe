import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Errors of the system and of NIO in plain words.
enum Words {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as IOError: of(error.errnoCode)
        case ChannelError.ioOnClosedChannel, ChannelError.eof: "the other side has closed it"
        default: "\(error)"
        }
    }

    private static func of(_ code: CInt) -> String {
        switch code {
        case ECONNRESET: "the other side has reset it"
        case EPIPE: "the other side has closed it"
        default: String(cString: strerror(code)).lowercased()
        }
    }

    /// Why none of a host's addresses takes the connection: the failure that tells most.
    static func of(_ failures: [SingleConnectionFailure]) -> String {
        // A machine without IPv6 fails so for each address of that kind.
        let dull: Set<CInt> = [ENETUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT]
        let telling = failures.first { !dull.contains(($0.error as? IOError)?.errnoCode ?? 0) }
        return (telling ?? failures.first).map { of($0.error) } ?? "no address"
    }
}
