/// The XML namespaces that the session understands.
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
    /// STARTTLS.
    package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// SASL.
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    /// The extensible SASL profile (XEP-0388).
    static let sasl2 = "urn:xmpp:sasl:2"
    /// Sessions that begin with the login (XEP-0386).
    static let bind2 = "urn:xmpp:bind:0"
    /// The kinds of channel bindings that a server supports (XEP-0440).
    static let channelBinding = "urn:xmpp:sasl-cb:0"

    /// Session establishment (RFC 3921 section 3).
    static let session = "urn:ietf:params:xml:ns:xmpp-session"
    /// The roster, which is the list of contacts (RFC 6121 section 2).
    static let roster = "jabber:iq:roster"
    /// Data forms (XEP-0004).
    static let data = "jabber:x:data"
    /// Service discovery (XEP-0030).
    static let discoInfo = "http://jabber.org/protocol/disco#info"
    static let discoItems = "http://jabber.org/protocol/disco#items"
    /// Ad-hoc commands (XEP-0050).
    static let commands = "http://jabber.org/protocol/commands"
    /// Multi-user chat (XEP-0045).
    static let muc = "http://jabber.org/protocol/muc"
    static let mucUser = "http://jabber.org/protocol/muc#user"
    static let mucAdmin = "http://jabber.org/protocol/muc#admin"
    static let mucOwner = "http://jabber.org/protocol/muc#owner"
    /// Software version (XEP-0092).
    static let version = "jabber:iq:version"
    /// Entity capabilities (XEP-0115).
    static let caps = "http://jabber.org/protocol/caps"
    /// Pings (XEP-0199).
    static let ping = "urn:xmpp:ping"
    /// Entity time (XEP-0202).
    static let time = "urn:xmpp:time"
    /// Delayed delivery (XEP-0203).
    static let delay = "urn:xmpp:delay"
    /// Chat states, such as that somebody is writing (XEP-0085).
    static let chatStates = "http://jabber.org/protocol/chatstates"
    /// Message delivery receipts (XEP-0184).
    static let receipts = "urn:xmpp:receipts"
    /// Chat markers (XEP-0333).
    static let chatMarkers = "urn:xmpp:chat-markers:0"
    /// Message correction (XEP-0308).
    static let correction = "urn:xmpp:message-correct:0"
    /// Parts of a body that are only there for clients without support for the rest of the message (XEP-0428).
    static let fallback = "urn:xmpp:fallback:0"
    /// Message replies (XEP-0461).
    static let reply = "urn:xmpp:reply:0"
    /// Message reactions (XEP-0444).
    static let reactions = "urn:xmpp:reactions:0"
    /// Message retraction (XEP-0424).
    static let retraction = "urn:xmpp:message-retract:1"
    /// Moderated retraction in a room (XEP-0425).
    static let moderation = "urn:xmpp:message-moderate:1"
    /// Moderated retraction, and retraction, in former versions of XEP-0425 and XEP-0424.
    static let oldModeration = "urn:xmpp:message-moderate:0"
    static let oldRetraction = "urn:xmpp:message-retract:0"
    /// Changes of earlier messages in former versions of XEP-0424 and XEP-0425.
    static let fastening = "urn:xmpp:fasten:0"
    /// URLs of files (XEP-0066).
    static let outOfBand = "jabber:x:oob"
    /// Stateless file sharing (XEP-0447), and what it is made of: metadata (XEP-0446), hashes (XEP-0300), URLs (XEP-0103).
    static let fileSharing = "urn:xmpp:sfs:0"
    static let fileMetadata = "urn:xmpp:file:metadata:0"
    static let hashes = "urn:xmpp:hashes:2"
    static let urlData = "http://jabber.org/protocol/url-data"
    /// Uploads of files by HTTP (XEP-0363).
    static let httpUpload = "urn:xmpp:http:upload:0"
    /// Hints for servers, such as to store a message without a body (XEP-0334).
    static let hints = "urn:xmpp:hints"
    /// The configuration of a room, in a data form (XEP-0045 section 10.2).
    static let mucRoomConfiguration = "http://jabber.org/protocol/muc#roomconfig"
    /// Requests for voice in a room, in a data form (XEP-0045 section 7.13).
    static let mucRequest = "http://jabber.org/protocol/muc#request"
    /// The encryption method of a message (XEP-0380).
    static let encryption = "urn:xmpp:eme:0"
    /// OMEMO (XEP-0384): the version that most clients use, and the current one.
    static let oldOMEMO = "eu.siacs.conversations.axolotl"
    static let omemo = "urn:xmpp:omemo:2"
    /// OpenPGP (XEP-0027 and XEP-0373).
    static let oldOpenPGP = "jabber:x:encrypted"
    static let openPGP = "urn:xmpp:openpgp:0"
    /// Direct invitations (XEP-0249).
    static let conference = "jabber:x:conference"
    /// Stanza ids that others set (XEP-0359).
    static let stanzaID = "urn:xmpp:sid:0"
    /// Occupant ids (XEP-0421).
    static let occupantID = "urn:xmpp:occupant-id:0"
    /// Archives of messages (XEP-0313).
    static let archive = "urn:xmpp:mam:2"
    /// Messages in messages (XEP-0297).
    static let forward = "urn:xmpp:forward:0"
    /// Pages of results (XEP-0059).
    static let resultSet = "http://jabber.org/protocol/rsm"
    /// Publish and subscribe (XEP-0060), by which an account stores data (XEP-0223).
    static let pubsub = "http://jabber.org/protocol/pubsub"
    static let publishOptions = "http://jabber.org/protocol/pubsub#publish-options"
    /// That a node can keep as many items as the server allows.
    static let unlimitedItems = "http://jabber.org/protocol/pubsub#config-node-max"
    /// Bookmarks of rooms (XEP-0402).
    static let bookmarks = "urn:xmpp:bookmarks:1"
    /// The block list (XEP-0191).
    package static let blocking = "urn:xmpp:blocking"
    /// Stream management (XEP-0198).
    static let streamManagement = "urn:xmpp:sm:3"
    /// Stream limits (XEP-0478).
    static let streamLimits = "urn:xmpp:stream-limits:0"
}
