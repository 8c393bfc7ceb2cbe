/// What is to be done with a resource (RFC 9110 section 9).
///
/// Methods are told apart by case, as the RFC has it.
public struct HTTPMethod: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it is sent, such as `GET`.
    public let rawValue: String

    /// Takes a method by the name it is sent by.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let get = Self(rawValue: "GET")
    public static let head = Self(rawValue: "HEAD")
    public static let post = Self(rawValue: "POST")
    public static let put = Self(rawValue: "PUT")
    public static let patch = Self(rawValue: "PATCH")
    public static let delete = Self(rawValue: "DELETE")
    public static let options = Self(rawValue: "OPTIONS")

    public var description: String { rawValue }
}
