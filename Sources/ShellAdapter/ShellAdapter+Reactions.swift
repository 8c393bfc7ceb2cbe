public import Heybot
import Synchronization

// Lines on a terminal can't be changed: a reaction is a line of its own, and so is the new text of an edit.

extension ShellAdapter: MessageChanging {
    public var messageFeatures: Set<MessageFeature> { [.reactions] }

    public func send(_ utterance: Utterance, to envelope: Envelope) async throws -> Message.ID? {
        try await deliver(utterance, to: envelope)
        // So that the robot can react to the line.
        return id("sent-\(sentCount.add(1, ordering: .relaxed).newValue)")
    }

    public func change(_ message: Message.ID, _ change: MessageChange, in envelope: Envelope) async throws -> Bool {
        guard case .react(let reaction) = change else { return false }
        try await deliver(.emote("\(robotName) reacts: \(reaction)"), to: envelope)
        return true
    }
}
