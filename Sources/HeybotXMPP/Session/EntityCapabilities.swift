import FoundationEssentials
import HeybotSupport

/// The features that the client announces: in answers to service discovery (XEP-0030) and in its presence (XEP-0115).
enum EntityCapabilities {
    /// Sorted, as the hash requires.
    static let features = [
        Namespace.caps, Namespace.conference, Namespace.discoInfo, Namespace.discoItems, Namespace.muc, Namespace.ping,
        Namespace.time, Namespace.version, Namespace.correction, Namespace.fallback, Namespace.reactions,
        Namespace.reply, Namespace.retraction, Namespace.chatStates, Namespace.receipts, Namespace.chatMarkers,
        Namespace.outOfBand, Namespace.fileSharing, Namespace.fileMetadata, Namespace.commands, Namespace.data
    ].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }

    private static let node = "https://github.com/heybot"

    /// The verification string: a hash of the features (XEP-0115 section 5.1).
    static let hash: String = {
        let text = (["client/bot//Heybot"] + features).map { $0 + "<" }.joined()
        return Data(CryptographicHash.sha1.hash(text.utf8)).base64EncodedString()
    }()

    /// The element that announces the features in a presence.
    static let caps = Element(
        "c", Namespace.caps, ["hash": "sha-1", "node": node, "ver": hash])

    /// Returns the answer to a disco#info query; nil if its node isn't one of the client's.
    static func info(_ query: Element) -> Element? {
        let asked = query["node"]
        if let asked, asked != "\(node)#\(hash)" { return nil }
        var info = Element("query", Namespace.discoInfo)
        info["node"] = asked
        info.append(
            Element("identity", Namespace.discoInfo, ["category": "client", "type": "bot", "name": "Heybot"]))
        for feature in features { info.append(Element("feature", Namespace.discoInfo, ["var": feature])) }
        return info
    }
}
