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

/// Looks up one name, on a thread of its own.
///
/// The system's look-up blocks, for half a minute if no name server answers, and can't be stopped. NIO would put all
/// of them on one queue, where those that nobody waits for any more delay the others.
final class Lookup: Resolver, Sendable {
    /// Called once the look-up is sure to be asked for: NIO wants every promise kept.
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

    /// Both kinds at once.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            settle([address])
        } else if !OSThread.start({ self.settle(Self.addresses(host, port)) }) {
            settle([])
        }
        return v6.futureResult
    }

    func cancelQueries() {}

    private func settle(_ addresses: [SocketAddress]) {
        // In one turn, so that NIO doesn't wait for one kind with the other in hand.
        loop.execute {
            if addresses.isEmpty {
                self.v6.fail(NoAddress())
                self.v4.fail(NoAddress())
            } else {
                self.v6.succeed(addresses.filter { $0.protocol == .inet6 })
                self.v4.succeed(addresses.filter { $0.protocol == .inet })
            }
        }
    }

    /// A name as DNS has it: in ASCII.
    static func hostName(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 128 }) { return name }
        return DomainName(name)?.hostName ?? name
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

struct NoAddress: Error {}
