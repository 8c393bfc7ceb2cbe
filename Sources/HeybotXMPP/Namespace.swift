/// The namespaces of what we understand, by what they are for.
package enum Namespace {
    // RFC 6120, appendix A.
    /// Stanzas between a client and its server.
    package static let client = "jabber:client"
    /// The stream, its features and its errors.
    package static let streams = "http://etherx.jabber.org/streams"
    /// The conditions of stream errors.
    static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    /// The conditions of stanza errors.
    static let stanzas = "urn:ietf:params:xml:ns:xmpp-stanzas"
    /// Going over to TLS.
    package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// Logging in.
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"

    /// Establishing a session (RFC 3921 section 3).
    static let session = "urn:ietf:params:xml:ns:xmpp-session"
    /// The list of contacts (RFC 6121 section 2).
    static let roster = "jabber:iq:roster"
    /// Forms (XEP-0004).
    static let data = "jabber:x:data"
    /// Asking what somebody can (XEP-0030).
    static let discoInfo = "http://jabber.org/protocol/disco#info"
    static let discoItems = "http://jabber.org/protocol/disco#items"
    /// Rooms (XEP-0045).
    static let muc = "http://jabber.org/protocol/muc"
    static let mucUser = "http://jabber.org/protocol/muc#user"
    static let mucOwner = "http://jabber.org/protocol/muc#owner"
    /// Which software somebody has (XEP-0092).
    static let version = "jabber:iq:version"
    /// Telling by a hash what one can (XEP-0115).
    static let caps = "http://jabber.org/protocol/caps"
    /// Asking whether somebody is there (XEP-0199).
    static let ping = "urn:xmpp:ping"
    /// What time it is with somebody (XEP-0202).
    static let time = "urn:xmpp:time"
    /// When something was really said (XEP-0203).
    static let delay = "urn:xmpp:delay"
    /// Replacing what one said (XEP-0308).
    static let correction = "urn:xmpp:message-correct:0"
    /// What a message's body has only for those who don't understand the rest (XEP-0428).
    static let fallback = "urn:xmpp:fallback:0"
    /// Taking back what one said (XEP-0424).
    static let retraction = "urn:xmpp:message-retract:1"
    /// Asking for voice in a room, in a form (XEP-0045 section 7.13).
    static let mucRequest = "http://jabber.org/protocol/muc#request"
    /// What a message is encrypted with (XEP-0380).
    static let encryption = "urn:xmpp:eme:0"
    /// OMEMO (XEP-0384), as most clients have it, and the version of now.
    static let oldOMEMO = "eu.siacs.conversations.axolotl"
    static let omemo = "urn:xmpp:omemo:2"
    /// OpenPGP (XEP-0027 and XEP-0373).
    static let oldOpenPGP = "jabber:x:encrypted"
    static let openPGP = "urn:xmpp:openpgp:0"
    /// Inviting somebody directly (XEP-0249).
    static let conference = "jabber:x:conference"
    /// What others call a stanza (XEP-0359).
    static let stanzaID = "urn:xmpp:sid:0"
    /// What a room's service calls an occupant, whatever their nick (XEP-0421).
    static let occupantID = "urn:xmpp:occupant-id:0"
    /// How much a server takes in a stanza (XEP-0478).
    static let streamLimits = "urn:xmpp:stream-limits:0"
}
