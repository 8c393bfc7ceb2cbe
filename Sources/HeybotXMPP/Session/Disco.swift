import Crypto
import FoundationEssentials

/// What we are and can, for whoever asks (XEP-0030), and for everybody who sees us (XEP-0115).
enum Disco {
    /// Sorted, as the hash wants them.
    static let features = [
        Namespace.caps, Namespace.conference, Namespace.discoInfo, Namespace.discoItems, Namespace.muc, Namespace.ping,
        Namespace.time, Namespace.version
    ].sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }

    private static let node = "https://github.com/heybot"

    /// Which version of our features it is: a hash of them (XEP-0115 section 5.1).
    static let hash: String = {
        let text = (["client/bot//Heybot"] + features).map { $0 + "<" }.joined()
        return Data(Insecure.SHA1.hash(data: Array(text.utf8))).base64EncodedString()
    }()

    /// What a presence says of our features.
    static let caps = Element(
        "c", Namespace.caps, ["hash": "sha-1", "node": node, "ver": hash])

    /// The answer to who asks for them; nil if the node asked for is none of ours.
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
