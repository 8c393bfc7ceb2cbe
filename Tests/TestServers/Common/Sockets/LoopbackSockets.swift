import Foundation

/// One port on the loopback interface, by UDP and TCP, and the connections to it.
struct LoopbackSockets: Sendable {
    let port: Int
    private let udp: Int32
    private let tcp: Int32

    #if canImport(Glibc)
        private static let datagrams = Int32(SOCK_DGRAM.rawValue)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let datagrams = SOCK_DGRAM
        private static let stream = SOCK_STREAM
    #endif

    init() throws {
        for _ in 0..<200 {
            let port = try Port.free()
            guard let tcp = Self.bound(Self.stream, port) else { continue }
            guard let udp = Self.bound(Self.datagrams, port), listen(tcp, 128) == 0 else {
                close(tcp)
                continue
            }
            (self.port, self.udp, self.tcp) = (port, udp, tcp)
            return
        }
        throw NameServerError(problem: "there is no free port")
    }

    private static func bound(_ type: Int32, _ port: Int) -> Int32? {
        let new = socket(AF_INET, type, 0)
        guard new >= 0 else { return nil }
        _ = fcntl(new, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(new, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return new }
        close(new)
        return nil
    }

    /// Answers queries until the other end of the pipe is closed, and then closes everything.
    func serve(_ book: NameServer.Book, until end: Int32) {
        // The TCP connections that never get an answer.
        var unanswered: [Int32] = []
        while true {
            var waiting = [udp, tcp, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&waiting, 3, -1) >= 0 || errno == EINTR, waiting[2].revents == 0 else { break }
            if waiting[0].revents != 0 { answerDatagram(book) }
            if waiting[1].revents != 0, let kept = answerConnection(book) { unanswered.append(kept) }
        }
        for socket in unanswered + [udp, tcp] { close(socket) }
    }

    private func answerDatagram(_ book: NameServer.Book) {
        var query = [UInt8](repeating: 0, count: 65_536)
        var client = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &client) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { client in
                let count = recvfrom(udp, &query, query.count, Int32(MSG_DONTWAIT), client, &length)
                guard count > 0, let reply = book.reply(to: Array(query[..<count]), byTCP: false) else { return }
                sendto(udp, reply, reply.count, 0, client, length)
            }
        }
    }

    /// Returns the connection if it is to be kept open without an answer.
    private func answerConnection(_ book: NameServer.Book) -> Int32? {
        let client = accept(tcp, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        // Other clients wait meanwhile.
        var limit = timeval(tv_sec: 600, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard let head = Self.receive(2, from: client),
            let query = Self.receive(Int(head[0]) << 8 | Int(head[1]), from: client)
        else {
            close(client)
            return nil
        }
        guard let reply = book.reply(to: query, byTCP: true) else { return client }
        let bytes = [UInt8(reply.count >> 8), UInt8(reply.count & 0xff)] + reply
        var sent = 0
        while sent < bytes.count {
            let count = send(client, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
            guard count > 0 else { break }
            sent += count
        }
        close(client)
        return nil
    }

    private static func receive(_ count: Int, from socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(socket, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }
}
