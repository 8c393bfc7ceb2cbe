/// Thrown by a listener's closure that finds that the message isn't meant for it: routing goes on as if the listener hadn't
/// matched, so that later listeners and, if nothing else matches, the catch-alls get the message.
///
/// ```swift
/// robot.respond(/(\w+) is (.+)/) { res in
///     guard let person = await person(named: res.match.1) else { throw Pass() }
/// ```
///
/// A closure that has said something should not throw it: the message would be answered twice.
public struct Pass: Error, Hashable, Sendable {
    public init() {}
}
