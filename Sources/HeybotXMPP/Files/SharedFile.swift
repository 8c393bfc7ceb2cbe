import FoundationEssentials
import HeybotSupport

/// A file on a web server, as messages describe it: with its URL alone (XEP-0066), or with its metadata (XEP-0446,
/// XEP-0447).
///
/// Everything in it is what its sender says.
package struct SharedFile: Hashable, Sendable {
    /// The URL, of at most 2,048 bytes.
    package let url: String
    /// The name, without separators of folders.
    package var name: String?
    /// The media type, such as `image/png`, without parameters.
    package var type: String?
    /// The size in bytes, at most 2⁵³ − 1.
    package var size: Int?
    /// The SHA-256 digest, in Base64.
    package var sha256: String?
    /// What the file shows, in one line.
    package var summary: String?

    /// Creates a description of a file.
    package init(
        url: String, name: String? = nil, type: String? = nil, size: Int? = nil, sha256: String? = nil,
        summary: String? = nil
    ) {
        (self.url, self.name, self.type) = (url, name, type)
        (self.size, self.sha256, self.summary) = (size, sha256, summary)
    }

    /// In bytes.
    static let longestURL = 2_048
    private static let maxSources = 10
    private static let largestSize = (1 << 53) - 1
    private static let longestSummary = 1_000

    /// The digest of a file's content, in the form of ``sha256``.
    package static func digest(of bytes: [UInt8]) -> String {
        Data(CryptographicHash.sha256.hash(bytes)).base64EncodedString()
    }
}

// MARK: Receiving

extension SharedFile {
    /// Reads a `file-sharing` element (XEP-0447); nil if none of its first sources is the URL of a web page.
    ///
    /// A URL without TLS counts only if the content can be verified (XEP-0447 section 5).
    init?(_ sharing: Element) {
        let metadata = sharing.first("file", Namespace.fileMetadata)
        let digest = metadata.flatMap(Self.readDigest)
        guard let sources = sharing.first("sources", Namespace.fileSharing) else { return nil }
        let urls = Self.urls(in: sources)
        let secure = urls.first { $0.utf8.starts(with: "https://".utf8) }
        guard let url = secure ?? (digest == nil ? nil : urls.first) else { return nil }
        self.init(url: url, sha256: digest)
        guard let metadata else { return }
        func text(_ name: String) -> String? { metadata.first(name, Namespace.fileMetadata)?.text }
        self.name = text("name").flatMap { SafeText.fileName($0) }
        type = text("media-type").flatMap { SafeText.mediaType($0) }
        size = text("size").flatMap { Int($0) }.flatMap { (0...Self.largestSize).contains($0) ? $0 : nil }
        let words = SafeText.visible(text("desc") ?? "", limit: Self.longestSummary)
        summary = words.isEmpty ? nil : words
    }

    private static func urls(in sources: Element) -> [String] {
        var (urls, count): ([String], Int) = ([], 0)
        for case .element(let source) in sources.children {
            count += 1
            if count > maxSources { break }
            guard source.is("url-data", Namespace.urlData), let url = source["target"], isWebURL(url) else { continue }
            urls.append(url)
        }
        return urls
    }

    /// Whether a text looks like a URL of the web: the client checks it again before it requests it.
    private static func isWebURL(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count <= longestURL && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7f }
            && (bytes.starts(with: "https://".utf8) || bytes.starts(with: "http://".utf8))
    }

    /// Returns the SHA-256 digest among the hashes of a file (XEP-0300); nil if there is none that is valid.
    private static func readDigest(_ metadata: Element) -> String? {
        let hash = metadata.all("hash", Namespace.hashes).first { $0["algo"] == "sha-256" }
        guard let text = hash?.text, text.utf8.count == 44, Data(base64Encoded: text)?.count == 32 else { return nil }
        return text
    }

    /// Returns the URL of the first file of a message that has no text; nil if it shares no file.
    static func text(of message: Element) -> String? {
        guard let sharing = message.first("file-sharing", Namespace.fileSharing), !Session.isChange(message) else {
            return nil
        }
        return SharedFile(sharing)?.url
    }
}

extension IncomingEvent {
    private static let maxFiles = 10

    /// Adds a file, unless there are too many; one that is there already with only its URL gets the description.
    mutating func add(_ file: SharedFile) {
        if let index = files.firstIndex(where: { $0.url == file.url }) {
            if files[index] == SharedFile(url: file.url) { files[index] = file }
        } else if files.count < Self.maxFiles {
            files.append(file)
        }
    }
}

// MARK: Sending

extension SharedFile {
    /// The elements of a message that shares the file: its description, and its URL alone for older clients.
    var elements: [Element] {
        var metadata = Element("file", Namespace.fileMetadata)
        func add(_ name: String, _ text: String?) {
            if let text { metadata.append(Element(name, Namespace.fileMetadata, text: text)) }
        }
        add("media-type", type)
        add("name", name)
        add("size", size.map { "\($0)" })
        if let sha256 { metadata.append(Element("hash", Namespace.hashes, ["algo": "sha-256"], text: sha256)) }
        add("desc", summary.map { SafeText.visible($0, limit: Self.longestSummary) })
        let source = Element("url-data", Namespace.urlData, ["target": url])
        let sources = Element("sources", Namespace.fileSharing, [:], source)
        return [
            Element("file-sharing", Namespace.fileSharing, [:], metadata, sources),
            Element("x", Namespace.outOfBand, [:], Element("url", Namespace.outOfBand, text: url))
        ]
    }
}
