/// A file that TLS needs and that doesn't do; described in one line with its cure.
public struct TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// As it was given; empty where it is about the system's own authorities.
    public let file: String
    /// What is wrong and what to do, to follow the file's name.
    public let problem: String

    /// One line, such as `/etc/ssl/bot.pem isn't there: check the path`.
    public var description: String { file.isEmpty ? problem : "\(file) \(problem)" }
}
