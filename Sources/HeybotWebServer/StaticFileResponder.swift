import Heybot
import NIOHTTP1

/// Answers requests for the files in a folder.
///
/// It supports conditional requests (RFC 9110 section 13) and ranges (section 14), except ranges of the last bytes and
/// several ranges, which it may ignore.
struct StaticFileResponder {
    private let folder: String

    init(_ folder: String) {
        self.folder = folder
    }

    /// Answers a request; nil if there is no such file.
    ///
    /// - Parameter path: The path as it was sent, without the query.
    /// - Throws: ``WebRefusal`` if the range is invalid.
    func respond(to head: HTTPRequestHead, _ path: Substring) async throws(WebRefusal) -> OutgoingResponse? {
        guard head.method == .GET || head.method == .HEAD, var name = Self.components(of: path),
            var file = await StaticFile.open(name, in: folder)
        else { return nil }
        if file.isFolder {
            guard path.hasSuffix("/") else {
                return OutgoingResponse(.movedPermanently, ["Location": "\(path)/", "Content-Length": "0"])
            }
            name.append("index.html")
            guard let index = await StaticFile.open(name, in: folder), !index.isFolder else { return nil }
            file = index
        }
        return try Self.response(file, MediaType.of(name.last ?? ""), to: head)
    }

    /// The decoded components of a path; nil if one is hidden, or contains a slash or a null byte.
    private static func components(of path: Substring) -> [String]? {
        guard path.hasPrefix("/"), !path.hasPrefix("//") else { return nil }
        let components = path.split(separator: "/").map { percentDecoded($0.utf8) }
        let isValid = components.allSatisfy { component in
            component.utf8.first != UInt8(ascii: ".") && !component.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        }
        return isValid ? components : nil
    }

    private static func response(
        _ file: StaticFile, _ type: String?, to head: HTTPRequestHead
    ) throws(WebRefusal) -> OutgoingResponse {
        let tag = "W/\"\(String(file.modified, radix: 16))-\(String(file.size, radix: 16))\""
        let modified = HTTPDate.format(file.modified)
        var headers: NIOHTTP1.HTTPHeaders = ["Accept-Ranges": "bytes", "ETag": tag, "Last-Modified": modified]
        if let type { headers.add(name: "Content-Type", value: type) }
        if isFresh(head.headers, tag, file.modified) { return OutgoingResponse(.notModified, headers) }
        var range = 0..<file.size
        var status = HTTPResponseStatus.ok
        let condition = head.headers.first(name: "If-Range")
        if head.method == .GET, condition == nil || condition == tag || condition == modified,
            let wanted = try requested(head.headers[canonicalForm: "Range"], of: file.size)
        {
            (range, status) = (wanted, .partialContent)
            headers.add(name: "Content-Range", value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)")
        }
        headers.add(name: "Content-Length", value: "\(range.count)")
        return OutgoingResponse(status, headers, head.method == .HEAD || range.isEmpty ? .none : .file(file, range))
    }

    /// Whether the client has the file already (RFC 9110 section 13.2.2).
    private static func isFresh(_ headers: NIOHTTP1.HTTPHeaders, _ tag: String, _ modified: Int) -> Bool {
        let tags = headers[canonicalForm: "If-None-Match"]
        guard tags.isEmpty else { return tags.contains { $0 == tag || $0 == "*" || "W/\($0)" == tag } }
        return headers.first(name: "If-Modified-Since").flatMap { HTTPDate.parse($0) }.map { modified <= $0 } ?? false
    }

    /// The requested range of bytes; nil to send all of the file.
    private static func requested(_ fields: [Substring], of size: Int) throws(WebRefusal) -> Range<Int>? {
        let prefix = "bytes="
        guard fields.count == 1, fields[0].hasPrefix(prefix) else { return nil }
        let ends = fields[0].dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.first != "" else { return nil }
        guard ends.count == 2, !fields[0].contains("+"), let first = Int(ends[0]),
            let last = ends[1].isEmpty ? Int.max : Int(ends[1]), 0..<size ~= first, first <= last
        else { throw WebRefusal(416, "The requested range is invalid.") }
        return first..<min(last, size - 1) + 1
    }
}
