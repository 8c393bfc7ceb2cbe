/// A file that the robot sends.
public struct Attachment: Codable, Hashable, Sendable {
    /// The file name, such as `chart.png`.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// The file's content.
    public var bytes: [UInt8]
    /// The text that is sent instead if the service doesn't support files: a description, or a link.
    public var alternative: String

    /// Creates a file.
    ///
    /// The alternative text defaults to the name.
    public init(name: String, type: String, bytes: [UInt8], alternative: String? = nil) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.alternative = alternative ?? name
    }
}
