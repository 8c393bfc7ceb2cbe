import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a web server can't listen.
public struct WebServerError: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ error: any Error, address: String, port: Int) {
        let place = "the web server can't listen at \(address), port \(port)"
        description =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: "\(place): the port is in use; set PORT to another, or leave the server out with -d"
            case EACCES, EPERM: "\(place): that needs rights this process hasn't; set PORT to one from 1024 on"
            case EADDRNOTAVAIL: "\(place): this machine hasn't that address; set BIND_ADDRESS to one it has"
            default:
                if error is SocketAddressError || error is SocketAddressError.UnknownHost {
                    "\(place): there is no such address; set BIND_ADDRESS to one this machine has, such as 127.0.0.1"
                } else {
                    "\(place): \(error)"
                }
            }
    }
}
