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
    /// What is wrong.
    public let reason: String
    /// What can be done about it; nil if nothing can be said.
    public let cure: String?

    public var description: String { cure.map { "\(reason); \($0)" } ?? reason }

    init(_ error: any Error, _ configuration: HummingbirdServer.Configuration) {
        let (port, address) = (configuration.portSetting, configuration.addressSetting)
        let place = "the web server can't listen at \(configuration.address), port \(configuration.port)"
        (reason, cure) =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE: ("\(place): the port is in use", "set \(port) to another, or leave the server out with -d")
            case EACCES, EPERM: ("\(place): that needs rights this process hasn't", "set \(port) to one from 1024 on")
            case EADDRNOTAVAIL: ("\(place): this machine hasn't that address", "set \(address) to one it has")
            default:
                if error is SocketAddressError || error is SocketAddressError.UnknownHost {
                    ("\(place): there is no such address", "set \(address) to one this machine has, such as 127.0.0.1")
                } else {
                    ("\(place): \(error)", nil)
                }
            }
    }
}
