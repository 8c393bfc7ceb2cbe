import Foundation

/// A row that `heybot check` printed.
struct CheckRow: Equatable {
    var mark: String
    var words: String
    var fix: String?

    init(_ mark: String, _ words: String, fix: String? = nil) {
        self.mark = mark
        self.words = words
        self.fix = fix
    }
}

extension CommandRun {
    /// The part's row about the subject, or nil if there is none.
    func row(_ part: String, _ subject: String) -> CheckRow? {
        let lines = output.split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let columns = line.split(separator: "  ").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
            guard columns.count > 3, columns[1] == part, columns[2] == subject else { continue }
            let next = number + 1 < lines.count ? lines[number + 1].drop { $0 == " " } : ""
            let fix = next.hasPrefix("→ ") ? String(next.dropFirst(2)) : nil
            return CheckRow(String(columns[0]), columns[3...].joined(separator: "  "), fix: fix)
        }
        return nil
    }
}

extension CommandRun {
    /// Runs `heybot check` until it exits, on a separate thread, so that it doesn't block the shared ones.
    static func check(
        _ arguments: [String] = [], in folder: TemporaryFolder, environment: [String: String] = [:]
    ) async throws -> CommandRun {
        let url = folder.url
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let run = try CommandRun(
                        arguments: ["check"] + arguments, in: url, environment: environment, at: url)
                    continuation.resume(returning: run)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
