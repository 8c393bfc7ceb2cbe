/// The opening tag of a stream (RFC 6120 section 4.7).
package struct StreamHeader: Hashable, Sendable {
    /// The recipient: the server's domain, or the client's address in the server's answer.
    package var to: String?
    /// The sender.
    package var from: String?
    /// The stream's id, which the server sets.
    package var id: String?
    /// The version of XMPP, `1.0`; nil if the other side is older than that.
    package var version: String?
    /// The default language of texts for people (`xml:lang`).
    package var lang: String?
    /// The default namespace of stanzas; empty if the header declares none.
    package var namespace: String

    /// Creates a header; attributes that are nil aren't written.
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

    /// The tag that closes a stream.
    package static let closing = "</stream:stream>"

    /// The XML that opens a stream, including the XML declaration.
    package var xml: String {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the XML that opens a stream, including the XML declaration, in UTF-8.
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
