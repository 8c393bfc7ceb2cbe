import Heybot

/// A payload, written after the documentation of its tool, and the lines that a webhook posts for it.
public struct WebhookSample: CustomStringConvertible, Sendable {
    /// The tool and the event.
    public let description: String
    /// The header fields that name the event.
    public let headers: HTTPHeaders
    /// The payload.
    public let json: String
    /// The lines of a webhook with the name 1; for a payload that isn't posted, the reason in parentheses.
    public let lines: [String]

    init(_ name: String, headers: HTTPHeaders = [:], _ json: String, _ lines: String...) {
        (description, self.headers, self.json, self.lines) = (name, headers, json, lines)
    }

    /// All samples.
    public static let all = chat + monitoring + code + builds
}
