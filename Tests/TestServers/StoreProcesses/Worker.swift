import Foundation

/// A running `test-worker`.
public final class Worker: Sendable {
    private let child: ChildProcess
    private let folder: ScratchFolder

    /// Starts one; if the tests run as root and it's to be nobody, as that.
    public init(_ arguments: [String], asNobody: Bool = false) throws {
        let program = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "test-worker")
        guard let program else { throw CocoaError(.fileNoSuchFile) }
        folder = try ScratchFolder()
        let file = open(folder.path("output"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
        defer { close(file) }
        child = try ChildProcess([program.path] + arguments, output: file, isServer: asNobody)
    }

    /// What it has said so far, errors too.
    public var output: String { folder.read("output") }

    /// Waits for the first line of its output.
    public func waitForOutput() async throws {
        try await wait(for: "a word of test-worker's") { output.contains("\n") || !child.isRunning }
    }

    /// The updates that it said were made, in their order.
    var acknowledged: [(key: String, count: Int)] {
        words.compactMap { words in words.count == 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil }
    }

    /// The keys of the updates of which it didn't know.
    var unknown: [String] { words.filter { $0.last == "unknown" }.map { String($0[0]) } }

    private var words: [[Substring]] {
        // The last line may be cut off.
        output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { $0.split(separator: " ") }
    }

    /// Has it finish what it has begun, and waits until it's gone.
    func finish() async {
        child.send(SIGTERM)
        // Never killed: an update that isn't acknowledged might be stored.
        await end()
    }

    /// Waits for its end, for as long as its test may take; its exit status, nil if it was killed.
    @discardableResult
    public func end() async -> Int32? { await child.end(within: .seconds(3_600)) }
}
