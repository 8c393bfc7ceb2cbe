import FoundationEssentials
import Heybot
import HeybotSupport

// The frames that belong to each message are read without `JSONDecoder`, which would take most of their time.

extension GatewayFrame {
    /// Reads a frame that is often sent, in the usual form; nil if it is another one.
    init?(plainJSON json: [UInt8]) {
        var reader = PlainJSONReader(json)
        var (attempt, number, call): (Int?, Int?, Int?) = (nil, nil, nil)
        var type: String?
        var (message, outcome): (Message?, CallOutcome?) = (nil, nil)
        let isPlain =
            reader.skip("{")
            && reader.members { name, reader in
                switch name {
                case "attempt": reader.read(&attempt)
                case "number": reader.read(&number)
                case "call": reader.read(&call)
                case "type": reader.read(&type)
                case "message": reader.read(&message)
                case "outcome": reader.read(&outcome)
                default: false
                }
            }
        guard isPlain else { return nil }
        switch (type, attempt, number, message, call, outcome) {
        case ("message", let attempt?, let number?, let message?, nil, nil):
            self = .message(NumberedMessage(number: number, attempt: attempt, message: message))
        case ("result", nil, nil, nil, let call?, let outcome?): self = .result(call: call, outcome)
        default: return nil
        }
    }
}

extension WorkerFrame {
    /// Reads a frame that is often sent, in the usual form; nil if it is another one.
    init?(plainJSON json: [UInt8]) {
        var reader = PlainJSONReader(json)
        var (type, adapter, observer): (String?, String?, String?) = (nil, nil, nil)
        var (call, index, number): (Int?, Int?, Int?) = (nil, nil, nil)
        var numbers: [Int]?
        var operation: AdapterOperation?
        var observed: Message.ID?
        let isPlain =
            reader.skip("{")
            && reader.members { name, reader in
                switch name {
                case "type": reader.read(&type)
                case "adapter": reader.read(&adapter)
                case "observer": reader.read(&observer)
                case "call": reader.read(&call)
                case "index": reader.read(&index)
                case "number": reader.read(&number)
                case "numbers": reader.read(&numbers)
                case "observed": reader.read(&observed)
                case "operation": reader.read(&operation)
                default: false
                }
            }
        guard isPlain else { return nil }
        switch (type, numbers, call, adapter, operation) {
        case ("done", let numbers?, nil, nil, nil): self = .done(numbers)
        case ("call", nil, let call?, let adapter?, let operation?):
            var request = AdapterCall(call: call, adapter: adapter, number: number, index: index, operation: operation)
            (request.observed, request.observer) = (observed, observer)
            self = .call(request)
        default: return nil
        }
    }
}

extension PlainJSONReader {
    fileprivate mutating func read<Subject>(_ value: inout ScopedID<Subject>?) -> Bool {
        var text: String?
        guard value == nil, read(&text), let text, let id = ScopedID<Subject>(text) else { return false }
        value = id
        return true
    }

    fileprivate mutating func read(_ value: inout Message?) -> Bool {
        var (id, user, room): (Message.ID?, User?, Room?) = (nil, nil, nil)
        var (kind, text, origin): (String?, String?, String?) = (nil, nil, nil)
        var (isAddressed, time): (Bool?, Double?) = (nil, nil)
        return read(&value) { name, reader in
            switch name {
            case "id": return reader.read(&id)
            case "user": return reader.read(&user)
            case "room": return reader.read(&room)
            case "origin": return reader.read(&origin)
            case "isAddressed": return reader.read(&isAddressed)
            case "time": return reader.read(&time)
            case "content": return reader.readText(&kind, &text)
            default: return false
            }
        } make: {
            guard let id, let user, let room, kind == "text", let text, let isAddressed, let time else { return nil }
            return Message(
                id: id, user: user, room: room, content: .text(text), time: Date(timeIntervalSinceReferenceDate: time),
                isAddressed: isAddressed, origin: origin)
        }
    }

    /// Reads an object with a kind and a text.
    private mutating func readText(_ kind: inout String?, _ text: inout String?) -> Bool {
        var (readKind, readText): (String?, String?) = (nil, nil)
        var isRead: Bool?
        guard kind == nil, text == nil else { return false }
        let isPlain = read(&isRead) { name, reader in
            switch name {
            case "kind": reader.read(&readKind)
            case "text": reader.read(&readText)
            default: false
            }
        } make: {
            true
        }
        (kind, text) = (readKind, readText)
        return isPlain
    }

    private mutating func read(_ value: inout User?) -> Bool {
        var (id, name, account, isAnonymous): (User.ID?, String?, String?, Bool?) = (nil, nil, nil, nil)
        return read(&value) { member, reader in
            switch member {
            case "id": reader.read(&id)
            case "name": reader.read(&name)
            case "account": reader.read(&account)
            case "isAnonymous": reader.read(&isAnonymous)
            default: false
            }
        } make: {
            guard let id, let name, let isAnonymous else { return nil }
            return User(id: id, name: name, account: account, isAnonymous: isAnonymous)
        }
    }

    private mutating func read(_ value: inout Room?) -> Bool {
        var (id, name, isPrivate): (Room.ID?, String?, Bool?) = (nil, nil, nil)
        return read(&value) { member, reader in
            switch member {
            case "id": reader.read(&id)
            case "name": reader.read(&name)
            case "isPrivate": reader.read(&isPrivate)
            default: false
            }
        } make: {
            guard let id, let name, let isPrivate else { return nil }
            return Room(id: id, name: name, isPrivate: isPrivate)
        }
    }

    fileprivate mutating func read(_ value: inout CallOutcome?) -> Bool {
        var message: Message.ID?
        return read(&value) {
            $0 == "message" && $1.read(&message)
        } make: {
            var outcome = CallOutcome()
            outcome.message = message
            return outcome
        }
    }

    fileprivate mutating func read(_ value: inout AdapterOperation?) -> Bool {
        var (kind, textKind, text): (String?, String?, String?) = (nil, nil, nil)
        var envelope: Envelope?
        return read(&value) { name, reader in
            switch name {
            case "kind": return reader.read(&kind)
            case "envelope": return reader.read(&envelope)
            case "utterance": return reader.readText(&textKind, &text)
            default: return false
            }
        } make: {
            guard kind == "deliver", let envelope, let text else { return nil }
            switch textKind {
            case "text": return .deliver(.text(text), envelope)
            case "reply": return .deliver(.reply(text), envelope)
            case "emote": return .deliver(.emote(text), envelope)
            case "topic": return .deliver(.topic(text), envelope)
            default: return nil
            }
        }
    }

    private mutating func read(_ value: inout Envelope?) -> Bool {
        var (room, user, message): (Room?, User?, Message.ID?) = (nil, nil, nil)
        var (thread, tracking): (String?, Bool?) = (nil, nil)
        return read(&value) { name, reader in
            switch name {
            case "room": reader.read(&room)
            case "user": reader.read(&user)
            case "message": reader.read(&message)
            case "thread": reader.read(&thread)
            case "tracking": reader.read(&tracking)
            default: false
            }
        } make: {
            guard let room else { return nil }
            var envelope = Envelope(room: room, user: user, message: message)
            envelope.thread = thread
            if tracking == true { envelope.isTracked = true }
            return envelope
        }
    }
}
