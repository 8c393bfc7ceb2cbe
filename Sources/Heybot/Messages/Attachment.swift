/// A file that the robot hands out.
public struct Attachment: Codable, Hashable, Sendable {
    /// Its name, as `chart.png`.
    public var name: String
    /// What it is, as `image/png`.
    public var type: String
    /// What is in it.
    public var bytes: [UInt8]
    /// What is said instead where the service takes no files: what it shows, or where it can be seen.
    public var alternative: String

    /// Makes a file of those bytes; where there is no alternative, its name is.
    public init(name: String, type: String, bytes: [UInt8], alternative: String? = nil) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.alternative = alternative ?? name
    }
}
