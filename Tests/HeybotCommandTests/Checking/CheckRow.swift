import Foundation

/// A row that `heybot check` has printed about something it looked at.
struct CheckRow: Equatable {
    var mark: String
    var words: String
    var cure: String?

    init(_ mark: String, _ words: String, cure: String? = nil) {
        self.mark = mark
        self.words = words
        self.cure = cure
    }
}

extension Run {
    /// The row about a subject of that part; nil if there is none.
    func row(_ part: String, _ subject: String) -> CheckRow? {
        let lines = output.split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let columns = line.split(separator: "  ").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
            guard columns.count > 3, columns[1] == part, columns[2] == subject else { continue }
            let next = number + 1 < lines.count ? lines[number + 1].drop { $0 == " " } : ""
            let cure = next.hasPrefix("→ ") ? String(next.dropFirst(2)) : nil
            return CheckRow(String(columns[0]), columns[3...].joined(separator: "  "), cure: cure)
        }
        return nil
    }
}

extension Run {
    /// Runs `heybot check` to its end, on a thread of its own: it may take a while, and others want theirs.
    static func check(
        _ arguments: [String] = [], in folder: Folder, environment: [String: String] = [:]
    ) async throws -> Run {
        let url = folder.url
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                do {
                    let run = try Run(arguments: ["check"] + arguments, in: url, environment: environment, at: url)
                    continuation.resume(returning: run)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
    }
}
