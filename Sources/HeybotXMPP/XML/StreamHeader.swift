/// What the opening tag of a stream says (RFC 6120 section 4.7).
package struct StreamHeader: Hashable, Sendable {
    /// Whom the stream is for: the server's domain, or the client's address in the server's answer.
    package var to: String?
    /// Whom it is from.
    package var from: String?
    /// The server's name for the stream.
    package var id: String?
    /// The version of XMPP, `1.0`; nil if the other side is older than that.
    package var version: String?
    /// The language of texts for people, unless they tell their own (`xml:lang`).
    package var lang: String?
    /// The namespace of stanzas, unless they tell their own; empty if the header declares none.
    package var namespace: String

    /// Makes one; what is nil isn't written.
    package init(
        to: String? = nil, from: String? = nil, id: String? = nil, version: String? = "1.0", lang: String? = "en",
        namespace: String = Namespace.client
    ) {
        self.to = to
        self.from = from
        self.id = id
        self.version = version
        self.lang = lang
        self.namespace = namespace
    }

    /// What closes a stream.
    package static let closing = "</stream:stream>"

    /// The XML that opens a stream, with its XML declaration.
    package var xml: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the XML that opens a stream, with its XML declaration, in UTF-8.
    package func write(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: "<?xml version='1.0'?><stream:stream".utf8)
        let attributes = [
            ("xmlns", namespace), ("xmlns:stream", Namespace.streams), ("to", to), ("from", from), ("id", id),
            ("version", version), ("xml:lang", lang)
        ]
        for case (let name, let value?) in attributes { Element.write(name, value, to: &bytes) }
        bytes.append(UInt8(ascii: ">"))
    }
}
