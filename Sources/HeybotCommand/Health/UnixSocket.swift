#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Unix sockets.
///
/// Each call may block.
enum UnixSocket {
    /// Returns a socket that listens at the path, for this user only; nil, with `errno`, if that fails.
    static func listen(at path: String) -> Int32? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        // Permissions are set before it listens, so that no other user can connect in between.
        let isBound = withAddress(path) { bind(descriptor, $0, $1) == 0 && chmod(path, 0o600) == 0 }
        guard isBound, systemListen(descriptor, 16) == 0 else {
            let reason = errno
            close(descriptor)
            errno = reason
            return nil
        }
        return descriptor
    }

    /// Returns a socket connected to the path; nil, with `errno`, if nothing listens there.
    ///
    /// - Parameter deadline: The timeout of each call, in seconds.
    static func connect(to path: String, deadline: Int = 5) -> Int32? {
        let descriptor = make()
        guard descriptor >= 0 else { return nil }
        var time = timeval(tv_sec: deadline, tv_usec: 0)
        // On Linux SO_SNDTIMEO limits connecting too.
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

    /// Reads until the end of the stream, a timeout, 1 MB, or ten seconds in all.
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

    /// Writes all bytes, or stops if the peer closes the connection.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a datagram to the path.
    ///
    /// A path that begins with `@` is the name of a Linux abstract socket.
    ///
    /// - Returns: False, with `errno`, if that fails.
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

    /// Returns false, with `errno`, if the path is too long for an address.
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
        // In an abstract name every byte counts, also zeros after it, so the length must be exact.
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
        let length = isAbstract ? start + path.utf8.count : MemoryLayout<sockaddr_un>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

// The methods above hide the functions' own names.
private let systemListen = listen
private let systemConnect = connect
private let systemRead = read
private let systemWrite = write
