import FoundationEssentials
import Heybot
import HeybotSupport

// The frames that belong to each message are read without `JSONDecoder`, which would take most of their time.
//
// Their members must be in the order in which they are written: that of their names. `JSONDecoder` reads frames in another order.

extension GatewayFrame {
    /// Reads a frame that is often sent.
    ///
    /// - Throws: ``PlainJSONReader/Unusual`` if it is another one, or isn't in the usual form.
    init(plainJSON json: [UInt8]) throws(PlainJSONReader.Unusual) {
        var reader = PlainJSONReader(json)
        if reader.skip(#"{"attempt":"#) {
            let attempt = try reader.integer()
            try reader.expect(#","message":"#)
            let message = try reader.message()
            try reader.expect(#","number":"#)
            self = .message(NumberedMessage(number: try reader.integer(), attempt: attempt, message: message))
            try reader.expect(#","type":"message"}"#)
        } else {
            try reader.expect(#"{"call":"#)
            let call = try reader.integer()
            var outcome = CallOutcome()
            try reader.expect(#","outcome":{"#)
            if reader.skip(#""message":"#) { outcome.message = try reader.id() }
            self = .result(call: call, outcome)
            try reader.expect(#"},"type":"result"}"#)
        }
        try reader.expectEnd()
    }
}

extension WorkerFrame {
    /// Reads a frame that is often sent.
    ///
    /// - Throws: ``PlainJSONReader/Unusual`` if it is another one, or isn't in the usual form.
    init(plainJSON json: [UInt8]) throws(PlainJSONReader.Unusual) {
        var reader = PlainJSONReader(json)
        if reader.skip(#"{"numbers":"#) {
            self = .done(try reader.integers())
            try reader.expect(#","type":"done"}"#)
        } else {
            self = .call(try reader.call())
        }
        try reader.expectEnd()
    }
}

extension PlainJSONReader {
    fileprivate mutating func id<Subject>() throws(Unusual) -> ScopedID<Subject> {
        guard let id = ScopedID<Subject>(try string()) else { throw Unusual() }
        return id
    }

    fileprivate mutating func message() throws(Unusual) -> Message {
        try expect(#"{"content":{"kind":"text","text":"#)
        let text = try string()
        try expect(#"},"id":"#)
        let id: Message.ID = try id()
        try expect(#","isAddressed":"#)
        let isAddressed = try flag()
        let origin = skip(#","origin":"#) ? try string() : nil
        try expect(#","room":"#)
        let room = try room()
        try expect(#","time":"#)
        let time = try number()
        try expect(#","user":"#)
        let user = try user()
        try expect("}")
        return Message(
            id: id, user: user, room: room, content: .text(text), time: Date(timeIntervalSinceReferenceDate: time),
            isAddressed: isAddressed, origin: origin)
    }

    private mutating func user() throws(Unusual) -> User {
        try expect("{")
        var account: String?
        if skip(#""account":"#) {
            account = try string()
            try expect(",")
        }
        try expect(#""id":"#)
        let id: User.ID = try id()
        try expect(#","isAnonymous":"#)
        let isAnonymous = try flag()
        try expect(#","name":"#)
        let name = try string()
        try expect("}")
        return User(id: id, name: name, account: account, isAnonymous: isAnonymous)
    }

    private mutating func room() throws(Unusual) -> Room {
        try expect(#"{"id":"#)
        let id: Room.ID = try id()
        try expect(#","isPrivate":"#)
        let isPrivate = try flag()
        try expect(#","name":"#)
        let name = try string()
        try expect("}")
        return Room(id: id, name: name, isPrivate: isPrivate)
    }

    fileprivate mutating func call() throws(Unusual) -> AdapterCall {
        try expect(#"{"adapter":"#)
        let adapter = try string()
        try expect(#","call":"#)
        let call = try integer()
        let index = skip(#","index":"#) ? try integer() : nil
        let number = skip(#","number":"#) ? try integer() : nil
        let observed: Message.ID? = skip(#","observed":"#) ? try id() : nil
        let observer = skip(#","observer":"#) ? try string() : nil
        try expect(#","operation":{"envelope":"#)
        let envelope = try envelope()
        try expect(#","kind":"deliver","utterance":{"kind":"#)
        let kind = try string()
        try expect(#","text":"#)
        let text = try string()
        try expect(#"}},"type":"call"}"#)
        let utterance: Utterance
        switch kind {
        case "text": utterance = .text(text)
        case "reply": utterance = .reply(text)
        case "emote": utterance = .emote(text)
        case "topic": utterance = .topic(text)
        default: throw Unusual()
        }
        var request = AdapterCall(
            call: call, adapter: adapter, number: number, index: index, operation: .deliver(utterance, envelope))
        (request.observed, request.observer) = (observed, observer)
        return request
    }

    private mutating func envelope() throws(Unusual) -> Envelope {
        try expect("{")
        var message: Message.ID?
        if skip(#""message":"#) {
            message = try id()
            try expect(",")
        }
        try expect(#""room":"#)
        var envelope = Envelope(room: try room(), message: message)
        if skip(#","thread":"#) { envelope.thread = try string() }
        if skip(#","tracking":"#) { envelope.isTracked = try flag() }
        if skip(#","user":"#) { envelope.user = try user() }
        try expect("}")
        return envelope
    }
}
