#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few calls that a Unix socket takes, each of which may block.
enum UnixSocket {
    /// A socket that listens at that path, for this user only; nil, with `errno`, if that can't be.
    static func listen(at path: String) -> Int32? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        // Before it listens: nobody gets in between.
        let isBound = withAddress(path) { bind(descriptor, $0, $1) == 0 && chmod(path, 0o600) == 0 }
        guard isBound, systemListen(descriptor, 16) == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        return descriptor
    }

    /// A socket that is connected with whoever listens there; nil, with `errno`, if nobody does.
    static func connect(to path: String, deadline: Int = 5) -> Int32? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        var time = timeval(tv_sec: deadline, tv_usec: 0)
        // On Linux that for sending bounds the connecting too.
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard withAddress(path, { systemConnect(descriptor, $0, $1) == 0 }) else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        return descriptor
    }

    /// All that comes until the other side ends, says nothing for too long, or talks for more than ten seconds.
    static func read(from descriptor: Int32) -> [UInt8] {
        let end = ContinuousClock.now + .seconds(10)
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while all.count < 1 << 20, ContinuousClock.now < end {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            all += buffer.prefix(count)
        }
        return all
    }

    /// Writes all of it, unless the other side goes away.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a datagram to whoever takes them there; false, with `errno`, if nobody does.
    ///
    /// A path with `@` in front is the name of an abstract socket, as Linux has them.
    static func send(_ bytes: [UInt8], to path: String) -> Bool {
        let descriptor = make(isStream: false)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress(path, isAbstract: path.hasPrefix("@")) { address, length in
            bytes.withUnsafeBytes { sendto(descriptor, $0.baseAddress, $0.count, 0, address, length) == $0.count }
        }
    }

    private static func make(isStream: Bool = true) -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, isStream ? SOCK_STREAM : SOCK_DGRAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            return descriptor
        #else
            let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
            return socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #endif
    }

    /// False, with `errno`, if the path is too long for an address.
    private static func withAddress(
        _ path: String, isAbstract: Bool = false, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard path.utf8.count < buffer.count else { return false }
            buffer.copyBytes(from: path.utf8)
            if isAbstract { buffer[0] = 0 }
            return true
        }
        guard fits else {
            errno = ENAMETOOLONG
            return false
        }
        // All that an abstract name has counts, zeros behind it too.
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        let length = isAbstract ? start + path.utf8.count : MemoryLayout<sockaddr_un>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

// Under these names the functions above can call them.
private let systemListen = listen
private let systemConnect = connect
private let systemRead = read
private let systemWrite = write
