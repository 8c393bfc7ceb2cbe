import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that the robot sends.
public struct Attachment: Codable, Hashable, Sendable {
    /// The file name, such as `chart.png`.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// The file's content, of at most ``largestSize`` bytes.
    public var bytes: [UInt8]
    /// The text that is sent instead if the service doesn't support files: a description, or a link.
    public var alternative: String

    /// The maximum size of a file in bytes: 32 MiB.
    public static let largestSize = 32 << 20
    /// In bytes: a longer text isn't sent in place of its file.
    private static let longestText = 4_096

    /// Creates a file.
    ///
    /// The alternative text defaults to the name.
    public init(name: String, type: String, bytes: [UInt8], alternative: String? = nil) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.alternative = alternative ?? name
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which must not come from chat.
    ///   - type: The media type, such as `image/png`.
    ///   - alternative: The alternative text; nil for the file's name.
    /// - Throws: ``AttachmentError`` if the file can't be read, is no ordinary file, or is too large.
    public init(fileAt path: String, type: String, alternative: String? = nil) throws(AttachmentError) {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        self.init(
            name: name, type: type, bytes: try Self.contents(of: path, name: name), alternative: alternative)
    }

    private static func contents(of path: String, name: String) throws(AttachmentError) -> [UInt8] {
        // Opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw AttachmentError("\(name) can't be read: \(String(cString: strerror(errno)))")
        }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw AttachmentError("\(name) isn't an ordinary file")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw AttachmentError("\(name) can't be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= largestSize else { throw AttachmentError(tooLarge: name) }
        }
    }

    /// - Throws: ``AttachmentError`` if it is too large.
    func checkSize() throws(AttachmentError) {
        guard bytes.count <= Self.largestSize else { throw AttachmentError(tooLarge: name) }
    }
}

extension Attachment {
    /// Whether the alternative text says more than the name.
    package var hasOwnAlternative: Bool { !alternative.isEmpty && alternative != name }

    /// What is sent if the service doesn't support files: the alternative text, or the content of a text of at most 4 KiB; nil if
    /// there is neither.
    public var plainText: String? {
        if hasOwnAlternative { return alternative }
        guard type.hasPrefix("text/"), bytes.count <= Self.longestText else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), text.contains(where: { !$0.isWhitespace }) else {
            return nil
        }
        return text
    }
}

extension AdapterError {
    /// The error of an adapter whose service has no files, for a file without a text in its place.
    package init(cannotSend attachment: Attachment, _ service: String) {
        let name = SafeText.visible(attachment.name, limit: 100)
        let fix = "ask on another network, or for a link"
        self.init(.unsupported, "\(name) can't be sent, because \(service) has no files: \(fix)")
    }
}

/// The reason why a file can't be sent.
public struct AttachmentError: UserFacingError, Hashable, CustomStringConvertible {
    /// What is wrong with the file, which it names.
    public let description: String

    init(_ description: String) { self.description = description }

    init(tooLarge name: String) {
        self.init("\(name) is larger than \(Attachment.largestSize >> 20) MiB: shorten it")
    }

    /// A sentence for the user.
    public var userMessage: String { "I can't send that file: \(description)." }

    /// True: a script should send only files that it can.
    public var isFailure: Bool { true }
}
