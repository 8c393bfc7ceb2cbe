import Heybot
import HeybotSupport

/// A form with a file (RFC 7578).
enum MultipartForm {
    /// Encodes a form with the field `attachment`, with a boundary that doesn't occur in the file.
    static func body(of attachment: Attachment, using generator: inout some RandomNumberGenerator) -> HTTPRequestBody {
        let type = SafeText.mediaType(attachment.type) ?? "application/octet-stream"
        let head =
            "Content-Disposition: form-data; name=\"attachment\"; filename=\"\(escaped(attachment.name))\"\r\n"
            + "Content-Type: \(type)\r\n\r\n"
        let content = head.utf8 + attachment.bytes
        var boundary = ""
        repeat {
            let number = UInt64.random(in: 0...UInt64.max, using: &generator)
            boundary = "heybot-\(String(number, radix: 16))"
        } while content.contains(Array(boundary.utf8))
        let bytes = "--\(boundary)\r\n".utf8 + content + "\r\n--\(boundary)--\r\n".utf8
        return HTTPRequestBody(bytes, type: "multipart/form-data; boundary=\(boundary)")
    }

    /// Escapes a file name for use between quotes; Campfire decodes percent-encoding.
    private static func escaped(_ name: String) -> String {
        let name = SafeText.visible(name, limit: 1_000, lineBreak: nil)
        if name.isEmpty { return "file" }
        // By scalars, because a quote with a combining accent is another character.
        return name.unicodeScalars.map { "\"\\%".unicodeScalars.contains($0) ? percentEncoded("\($0)") : "\($0)" }
            .joined()
    }
}
