package import Heybot

/// A worker's request to one of the gateway's adapters.
package struct AdapterCall: Codable, Hashable, Sendable {
    /// The call's number, unique in its worker.
    package var call: Int
    /// The adapter's name.
    package var adapter: String
    /// The number of the message that has caused it; nil if none has, as with timers.
    package var number: Int?
    /// Which of the calls that the message has caused in the same ``AdapterOperation/place`` it is, from 0; nil if it has no place.
    ///
    /// The gateway performs each once, even if the message is handled again by another worker, which may come to the places in
    /// another order.
    package var index: Int?
    /// The message that an observer has seen whose code makes the call; nil if no observer's code does.
    package var observed: Message.ID?
    /// The script of that observer.
    package var observer: String?
    /// What to do.
    package var operation: AdapterOperation

    /// Creates a call.
    package init(call: Int, adapter: String, number: Int? = nil, index: Int? = nil, operation: AdapterOperation) {
        (self.call, self.adapter, self.number, self.index) = (call, adapter, number, index)
        self.operation = operation
    }
}

extension AdapterCall {
    /// Where it changes something; nil if it changes nothing.
    ///
    /// The code of observers runs beside the closures, so its calls have an order of their own.
    package var place: String? {
        guard let place = operation.place else { return nil }
        return observed == nil ? "\(adapter) \(place)" : "\(adapter) observer \(observer ?? "") \(place)"
    }
}

/// What became of an ``AdapterCall``; which members it has depends on the operation.
package struct CallOutcome: Codable, Hashable, Sendable {
    /// The reason why an adapter can't do what it should.
    package struct Failure: Codable, Hashable, Sendable {
        /// The raw value of `AdapterError.Code`; nil for other errors.
        package var code: String?
        /// What is wrong.
        package var reason: String
        /// The message for the user, if there is one.
        package var userMessage: String?

        /// Creates a reason.
        package init(code: String? = nil, reason: String, userMessage: String? = nil) {
            (self.code, self.reason, self.userMessage) = (code, reason, userMessage)
        }
    }

    /// The reason why it failed; nil if it was performed.
    package var failure: Failure?
    /// The id of a message.
    package var message: Message.ID?
    /// The answer to a question of yes or no.
    package var flag: Bool?
    /// A user.
    package var user: User?
    /// Users.
    package var users: [User]?
    /// A room.
    package var room: Room?
    /// A member of a room.
    package var member: RoomMember?
    /// A restriction.
    package var restriction: RoomRestriction?
    /// Addresses.
    package var texts: [String]?

    /// Creates the outcome of a call that returns nothing.
    package init() {}

    /// Creates the outcome of a call that returns texts.
    package init(texts: [String]) { self.texts = texts }

    /// Creates the outcome of a call that failed.
    package init(failure: Failure) { self.failure = failure }
}

extension CallOutcome.Failure {
    /// Creates a reason from an adapter's error.
    package init(_ error: any Error) {
        self.init(
            code: (error as? AdapterError)?.code.rawValue, reason: "\(error)",
            userMessage: (error as? any UserFacingError)?.userMessage)
    }

    /// The error to throw in the worker.
    package var error: any Error {
        if let code = code.flatMap({ AdapterError.Code(rawValue: $0) }) { return AdapterError(code, reason) }
        if let userMessage { return Refusal(userMessage) }
        return GatewayCallError(reason: reason)
    }
}

/// An error of an adapter in the gateway.
package struct GatewayCallError: Error, Hashable, CustomStringConvertible {
    /// What is wrong.
    package let reason: String

    package var description: String { reason }
}
