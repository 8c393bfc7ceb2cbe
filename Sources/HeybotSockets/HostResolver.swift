import HeybotSupport
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Resolves one host name on a thread of its own.
///
/// The system's resolver blocks, for half a minute if no name server answers, and can't be canceled. NIO would run all lookups
/// on one queue, where abandoned ones delay the others.
final class HostResolver: Resolver, Sendable {
    /// Creates a resolver.
    ///
    /// Called only when a lookup is certain to start, because NIO requires every promise to be fulfilled.
    typealias Maker = @Sendable (any EventLoop) -> any Resolver & Sendable

    private let loop: any EventLoop
    private let v4: EventLoopPromise<[SocketAddress]>
    private let v6: EventLoopPromise<[SocketAddress]>

    init(_ loop: any EventLoop) {
        self.loop = loop
        v4 = loop.makePromise()
        v6 = loop.makePromise()
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { v4.futureResult }

    /// Looks up both kinds of addresses.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            complete([address])
        } else if !OSThread.start({ self.complete(Self.addresses(host, port)) }) {
            complete([])
        }
        return v6.futureResult
    }

    func cancelQueries() {}

    private func complete(_ addresses: [SocketAddress]) {
        // In one turn, so that NIO doesn't wait for the other kind.
        loop.execute {
            if addresses.isEmpty {
                self.v6.fail(NoAddressError())
                self.v4.fail(NoAddressError())
            } else {
                self.v6.succeed(addresses.filter { $0.protocol == .inet6 })
                self.v4.succeed(addresses.filter { $0.protocol == .inet })
            }
        }
    }

    /// The host name in ASCII, as DNS needs it.
    static func hostName(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 128 }) { return name }
        return DNSName(name)?.hostName ?? name
    }

    private static func addresses(_ name: String, _ port: Int) -> [SocketAddress] {
        let host = hostName(name)
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let info = next {
            let bytes = UnsafeRawPointer(info.pointee.ai_addr)
            switch info.pointee.ai_family {
            case AF_INET:
                if let bytes { addresses.append(SocketAddress(bytes.load(as: sockaddr_in.self), host: host)) }
            case AF_INET6:
                if let bytes { addresses.append(SocketAddress(bytes.load(as: sockaddr_in6.self), host: host)) }
            default: break
            }
            next = info.pointee.ai_next
        }
        return addresses
    }
}

struct NoAddressError: Error {}
