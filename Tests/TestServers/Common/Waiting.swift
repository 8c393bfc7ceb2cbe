import Foundation

/// Waits until a condition holds, polling it.
///
/// - Throws: ``TestServerError/timedOut(_:got:)`` on timeout.
public func wait(
    within limit: Duration = .testLimit, for what: @autoclosure () -> String, until isSo: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try !isSo() {
        guard ContinuousClock.now < end else { throw TestServerError.timedOut(what(), got: []) }
        try await Task.sleep(for: .milliseconds(5))
    }
}

/// The resident memory of this process, in KB.
public func residentMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
}

extension Duration {
    /// The time limit of tests' waits: long enough for a busy machine, so that only a hang reaches it.
    public static let testLimit: Duration = .seconds(
        ProcessInfo.processInfo.environment["TEST_LIMIT"].flatMap { Int($0) } ?? 600)
}

/// Whether tests repeat what they do much more often: `bin/test --soak`.
public enum Soak {
    /// Whether `--soak` was given.
    public static let isOn = ProcessInfo.processInfo.environment["TEST_SOAK"] != nil

    /// The number of rounds of a test: `usual`, or `soak` if ``isOn``.
    public static func rounds(_ usual: Int, soak: Int) -> Int { isOn ? soak : usual }
}
