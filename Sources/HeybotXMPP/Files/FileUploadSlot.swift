/// Where a file is to be put, and the URL that it then has (XEP-0363 section 4).
package struct FileUploadSlot: Hashable, Sendable {
    /// A header field of the request.
    package struct Header: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The URL for the upload, with the scheme `https`.
    package let putURL: String
    /// The header fields that the request must have: only `Authorization`, `Cookie` and `Expires` are allowed.
    package let headers: [Header]
    /// The file's URL, with the scheme `https`.
    package let getURL: String

    private static let allowedHeaders: Set<String> = ["authorization", "cookie", "expires"]
    private static let maxHeaders = 10
    /// In bytes.
    private static let longestHeader = 4_096

    /// Reads a slot.
    ///
    /// Header fields with other names are ignored, and line breaks in the allowed ones are removed, as the standard says.
    init(_ slot: Element?) throws(FileUpload.Failure) {
        guard let slot, slot.is("slot", Namespace.httpUpload), let put = slot.first("put", Namespace.httpUpload)
        else {
            throw .unusableSlot("it has no place for the file")
        }
        putURL = try Self.url(of: put)
        getURL = try Self.url(of: slot.first("get", Namespace.httpUpload))
        let fields = put.all("header", Namespace.httpUpload)
        guard fields.count <= Self.maxHeaders else { throw .unusableSlot("it has \(fields.count) header fields") }
        var headers: [Header] = []
        for field in fields {
            let (name, value) = (Self.withoutLineBreaks(field["name"] ?? ""), Self.withoutLineBreaks(field.text))
            guard Self.allowedHeaders.contains(name.lowercased()) else { continue }
            guard value.utf8.count <= Self.longestHeader, value.utf8.allSatisfy({ 0x20...0x7e ~= $0 }) else {
                throw .unusableSlot("its header field \(name) is invalid")
            }
            headers.append(Header(name: name, value: value))
        }
        self.headers = headers
    }

    private static func url(of element: Element?) throws(FileUpload.Failure) -> String {
        let url = element?["url"] ?? ""
        guard url.utf8.count <= SharedFile.longestURL, url.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .unusableSlot("it has an invalid URL")
        }
        guard url.utf8.starts(with: "https://".utf8) else {
            throw .unusableSlot("it has a URL that doesn't begin with https://")
        }
        return url
    }

    /// By scalars, because CR and LF together are one character.
    private static func withoutLineBreaks(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
    }
}
