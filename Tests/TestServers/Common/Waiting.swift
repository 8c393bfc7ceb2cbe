import Foundation

/// Waits until it is so, looking again and again.
///
/// - Throws: ``ServersError/timedOut(_:got:)`` if it takes longer than the limit.
public func wait(
    within limit: Duration = .testLimit, for what: @autoclosure () -> String, until isSo: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try !isSo() {
        guard ContinuousClock.now < end else { throw ServersError.timedOut(what(), got: []) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// What the process has of the machine's memory, in KB.
public func residentMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
}

extension Duration {
    /// How long a test waits for what should happen: long enough for a busy machine, so that only what hangs takes it.
    public static var testLimit: Duration { .seconds(300) }
}
