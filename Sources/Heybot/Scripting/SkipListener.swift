/// Thrown by a listener's closure to pass the message on, because it isn't meant for it.
///
/// Routing continues as if the listener hadn't matched: later listeners and, if no other matches, the catch-alls get the
/// message.
///
/// ```swift
/// robot.respond(/(\w+) is (.+)/) { res in
///     guard let person = await person(named: res.match.1) else { throw SkipListener() }
/// ```
///
/// A closure that has sent something shouldn't throw it: the message would be answered twice.
public struct SkipListener: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}
