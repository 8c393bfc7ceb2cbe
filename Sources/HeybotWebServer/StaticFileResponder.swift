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
    /// - Throws: ``WebRefusal`` if the path or range is invalid.
    func respond(to head: HTTPRequestHead, _ path: Substring) async throws(WebRefusal) -> OutgoingResponse? {
        guard head.method == .GET || head.method == .HEAD, Self.mayBeShown(path) else { return nil }
        guard let decoded = Self.decoded(path), !decoded.contains("..") else { throw Self.refusal(400) }
        guard var name = Self.parts(of: decoded), var file = await StaticFile.open(name, in: folder) else { return nil }
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

    /// Whether a path may be served: not hidden files, and not paths with an encoded slash or null byte.
    private static func mayBeShown(_ path: Substring) -> Bool {
        let lower = path.lowercased()
        guard lower.hasPrefix("/"), !lower.hasPrefix("//"), !lower.contains("%2f"), !lower.contains("%00") else {
            return false
        }
        return !lower.split(separator: "/").contains { $0.hasPrefix(".") || $0.hasPrefix("%2e") }
    }

    /// The components of a decoded path; nil if one is hidden, or contains a null byte.
    private static func parts(of path: String) -> [String]? {
        let parts = path.split(separator: "/").map(String.init)
        guard !path.utf8.contains(0), !parts.contains(where: { $0.utf8.first == UInt8(ascii: ".") }) else { return nil }
        return parts
    }

    /// Decodes percent-encoding (RFC 3986 section 2.1); nil if it is invalid.
    private static func decoded(_ path: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
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
        else { throw refusal(416) }
        return first..<min(last, size - 1) + 1
    }

    private static func refusal(_ status: Int) -> WebRefusal {
        WebRefusal(status, "The request can't be satisfied.")
    }
}
