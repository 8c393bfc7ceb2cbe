/// What is to be done with a resource (RFC 9110 section 9).
///
/// Methods are told apart by case, as the RFC has it.
public struct HTTPMethod: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, such as `GET`.
    public let rawValue: String

    /// Takes a method by the name it is sent by; nil where that is no token, which could bring in more than a method.
    public init?(rawValue: String) {
        guard HTTPHeaders.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ name: String) {
        rawValue = name
    }

    public static let get = Self("GET")
    public static let head = Self("HEAD")
    public static let post = Self("POST")
    public static let put = Self("PUT")
    public static let patch = Self("PATCH")
    public static let delete = Self("DELETE")
    public static let options = Self("OPTIONS")

    public var description: String { rawValue }
}
