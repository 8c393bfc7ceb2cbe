// Counts stanzas, and answers the server's questions about them (XEP-0198 section 4).

extension Session {
    /// Notes that an element was written to the connection.
    ///
    /// The session's owner calls it for each ``Action/send(_:)``, except if it doesn't send the element.
    ///
    /// - Returns: The element to send next: a request for an acknowledgement, unless one is unanswered.
    package mutating func recordSent(_ element: Element) -> Element? {
        guard isOnline, streamManagement.recordSent(element) else { return nil }
        return Self.acknowledgementRequest
    }

    /// Tells the server how many of its stanzas the session has handled.
    var acknowledgement: Element { Element("a", Namespace.streamManagement, ["h": "\(streamManagement.handled)"]) }

    static var acknowledgementRequest: Element { Element("r", Namespace.streamManagement) }

    /// Asks the server to count stanzas from now on, if it offers that.
    mutating func enableStreamManagement() -> [Action] {
        if let answer = negotiation.streamManagement {
            // The server was asked together with the login.
            streamManagement.request()
            if answer.name == "enabled" { streamManagement.enable(answer) } else { streamManagement.refuse() }
            return []
        }
        guard offersStreamManagement else { return [] }
        streamManagement.request()
        return [.send(Element("enable", Namespace.streamManagement, ["resume": "true"]))]
    }

    /// Handles an element of stream management, which isn't a stanza.
    mutating func handleStreamManagement(_ element: Element, at now: Duration) -> [Action] {
        switch element.name {
        case "enabled": streamManagement.enable(element)
        case "failed": streamManagement.refuse()
        case "r" where streamManagement.isOn:
            return [.send(acknowledgement)]
        case "a":
            guard let count = element["h"].flatMap({ UInt32($0) }) else { return [] }
            guard streamManagement.acknowledge(count) else { return refuseAcknowledgement(count) }
            // What was sent since the last request is asked for next.
            let next = streamManagement.requestAcknowledgement() ? [Action.send(Self.acknowledgementRequest)] : []
            guard isCatchingUp else { return next }
            isCatchingUp = false
            return next + completeJoining(at: now) + flush(at: now)
        default: break
        }
        return []
    }

    /// Ends the stream because the server acknowledges stanzas that were never sent.
    mutating func refuseAcknowledgement(_ handled: UInt32) -> [Action] {
        let reason = streamManagement.countTooHigh(handled)
        streamManagement.giveUpResumption()
        var counts = Element("handled-count-too-high", Namespace.streamManagement, ["h": "\(handled)"])
        if case .handledCountTooHigh(_, let sent) = reason { counts["send-count"] = "\(sent)" }
        let error = Element(
            "error", Namespace.streams, [:], Element("undefined-condition", Namespace.streamErrors), counts)
        return [.send(error), .closeStream] + end(reason)
    }
}
