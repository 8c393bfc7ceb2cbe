/// An XMPP address: `local@domain/resource`, where only the domain is required (RFC 7622).
///
/// It is normalized when it is created: addresses that are equivalent by the standard are equal, and ``description`` is the
/// form for the wire. Each part has 1 to 1,023 bytes.
package struct JID: Hashable, Sendable, CustomStringConvertible {
    /// All forms, created once: addresses are copied, compared and written more often than they are created.
    private final class Storage: Sendable {
        let local: String?
        let domain: String
        let resource: String?
        let text: String
        /// The same address without a resource; nil if it has none.
        let bare: Storage?

        init(_ local: String?, _ domain: String, _ resource: String?, bare: Storage? = nil) {
            self.local = local
            self.domain = domain
            self.resource = resource
            text = JID.joined(local, domain, resource)
            self.bare = resource == nil ? nil : bare ?? Storage(local, domain, nil)
        }
    }

    private let storage: Storage

    /// The localpart before the `@`, such as an account or a room; nil if there is none (RFC 7622 section 3.3).
    package var local: String? { storage.local }
    /// The server or service: a name, an IPv4 address, or an IPv6 address in brackets (RFC 7622 section 3.2).
    ///
    /// Names are in lower case and without a trailing dot. An A-label (`xn--…`) isn't converted, unlike the standard says: a
    /// server answers to the name in its configuration.
    package var domain: String { storage.domain }
    /// The resourcepart after the first `/`, such as a nick in a room; nil if there is none (RFC 7622 section 3.4).
    package var resource: String? { storage.resource }

    /// Parses and normalizes an address.
    ///
    /// The resource begins after the first `/`, the domain after the first `@` before that (RFC 7622 section 3.2).
    package init(_ text: String) throws(JIDError) {
        let bytes = text.utf8
        let (at, slash) = bytes.withContiguousStorageIfAvailable(Self.separators) ?? Self.separators(bytes)
        func index(_ offset: Int) -> String.Index { bytes.index(bytes.startIndex, offsetBy: offset) }
        try self.init(
            local: at.map { text[..<index($0)] },
            domain: text[index(at.map { $0 + 1 } ?? 0)..<(slash.map(index) ?? text.endIndex)],
            resource: slash.map { text[index($0 + 1)...] },
            of: text)
    }

    /// Creates an address from its parts, and normalizes them.
    package init(local: String? = nil, domain: String, resource: String? = nil) throws(JIDError) {
        try self.init(
            local: local.map { $0[...] }, domain: domain[...], resource: resource.map { $0[...] },
            of: Self.joined(local, domain, resource))
    }

    /// Returns the offsets of the first `/` and of the first `@` before it.
    private static func separators(_ bytes: some Sequence<UInt8>) -> (at: Int?, slash: Int?) {
        var at: Int?
        for (offset, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "/") { return (at, offset) }
            if byte == UInt8(ascii: "@") && at == nil { at = offset }
        }
        return (at, nil)
    }

    /// - Parameter text: The whole address, for errors.
    private init(
        local: Substring?, domain: Substring, resource: Substring?, of text: @autoclosure () -> String
    ) throws(JIDError) {
        let (preparedLocal, preparedDomain, preparedResource): (String?, String, String?)
        do throws(JIDError.Reason) {
            preparedLocal = if let local { try Localpart.prepared(local) } else { nil }
        } catch {
            throw .local(error, in: text())
        }
        do throws(JIDError.Reason) {
            preparedDomain = try Domainpart.prepared(domain)
        } catch {
            throw .domain(error, in: text())
        }
        do throws(JIDError.Reason) {
            preparedResource = if let resource { try Resourcepart.prepared(resource) } else { nil }
        } catch {
            throw .resource(error, in: text())
        }
        storage = Storage(preparedLocal, preparedDomain, preparedResource)
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }

    /// Whether the local part of this address was written in its normal form, but for the case of ASCII letters.
    ///
    /// A server may pass on an address as its user typed it, and compare addresses by other rules than RFC 7613's: ejabberd
    /// uses Unicode 3.2. Two of its accounts may have the same normal form, so any other form identifies nobody.
    ///
    /// - Parameter text: The address as it was received.
    func isIdentifying(_ text: String?) -> Bool {
        guard let text, let local else { return true }
        let written = text.utf8.prefix { $0 != UInt8(ascii: "@") }
        return written.count == local.utf8.count
            && zip(written, local.utf8).allSatisfy { byte, normal in
                byte == normal || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == normal
            }
    }

    /// Whether the resource of an address was written in its normal form.
    ///
    /// A service that compares nicks by other rules than RFC 8265's may have two occupants whose nicks have the same normal
    /// form. Only the one with the normal form is known by it.
    ///
    /// - Parameters:
    ///   - text: The address as it was received.
    ///   - resource: The normal form of its resource.
    static func isNormalResource(in text: String?, _ resource: String) -> Bool {
        text == nil || Self.resource(in: text).elementsEqual(resource.utf8)
    }

    /// Returns the resource of an address as it was received, in UTF-8.
    static func resource(in text: String?) -> some Collection<UInt8> {
        (text ?? "").utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()
    }

    /// The address without its resource.
    package var bare: JID { JID(storage.bare ?? storage) }

    /// Whether it has no resource.
    package var isBare: Bool { resource == nil }

    /// Whether it has a resource.
    package var isFull: Bool { resource != nil }

    /// Returns the same address with this resource.
    package func with(resource: String) throws(JIDError) -> JID {
        do throws(JIDError.Reason) {
            let prepared = try Resourcepart.prepared(resource[...])
            return JID(Storage(local, domain, prepared, bare: storage.bare ?? storage))
        } catch {
            throw .resource(error, in: Self.joined(local, domain, resource))
        }
    }

    /// The normalized address as it appears in stanzas; parsing it gives the same address again.
    package var description: String { storage.text }

    /// Equal addresses have the same normalized text.
    package static func == (one: JID, other: JID) -> Bool {
        one.storage === other.storage || one.storage.text == other.storage.text
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(storage.text) }

    private static func joined(_ local: String?, _ domain: String, _ resource: String?) -> String {
        var text = ""
        if let local {
            text += local
            text += "@"
        }
        text += domain
        if let resource {
            text += "/"
            text += resource
        }
        return text
    }
}
