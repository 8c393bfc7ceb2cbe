import FoundationEssentials
import HeybotSupport

extension Message.AttachedFile {
    /// Reads the file: `try await file.read(upTo: 1 << 20, with: res.http)`.
    ///
    /// Only public addresses are read, because anybody may have chosen the URL.
    ///
    /// - Parameters:
    ///   - limit: The maximum size in bytes.
    ///   - http: The client.
    /// - Throws: ``HTTPError`` if the file is larger than the limit, can't be read, or isn't the one that the sender has
    ///   described; `CancellationError` if the task was canceled.
    public func read(upTo limit: Int = 8 << 20, with http: any HTTPClient) async throws -> [UInt8] {
        let host = HTTPRequest.host(of: url)
        if let size, size > limit { throw HTTPError(.tooLong, host: host) }
        var request = HTTPRequest(.get, url, addresses: .publicOnly)
        request.limit = max(limit, 0)
        let bytes = try await http.send(request).checked().body
        guard bytes.count <= limit else { throw HTTPError(.tooLong, host: host) }
        if let sha256, Data(CryptographicHash.sha256.hash(bytes)).base64EncodedString() != sha256 {
            throw HTTPError(.unreadable, host: host, "it isn't the file that was announced")
        }
        return bytes
    }
}
