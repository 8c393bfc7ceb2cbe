import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reason why a web server can't listen.
public struct WebServerListenError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// How to fix it; nil if there is no advice.
    public let fix: String?

    public var description: String { fix.map { "\(reason); \($0)" } ?? reason }

    init(_ error: any Error, _ configuration: NIOHTTPServer.Configuration) {
        let (port, address) = (configuration.portSetting, configuration.addressSetting)
        let place = "the web server can't listen on \(configuration.address), port \(configuration.port)"
        (reason, fix) =
            switch (error as? IOError)?.errnoCode {
            case EADDRINUSE:
                ("\(place): the port is in use", "set \(port) to another port, or disable the server with -d")
            case EACCES, EPERM: ("\(place): permission denied", "set \(port) to 1024 or higher")
            case EADDRNOTAVAIL:
                ("\(place): this machine doesn't have that address", "set \(address) to one of its addresses")
            default:
                if error is SocketAddressError || error is SocketAddressError.UnknownHost {
                    (
                        "\(place): the address is invalid",
                        "set \(address) to an address of this machine, such as 127.0.0.1"
                    )
                } else {
                    ("\(place): \(error)", nil)
                }
            }
    }
}
