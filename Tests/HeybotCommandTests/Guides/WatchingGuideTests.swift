import Foundation
import Testing

/// What the guide to watching a robot tells is what the sources have.
@Suite struct WatchingGuideTests {
    private let guide: String
    private let sources: [String]
    /// The lines of all sources that have text in them.
    private let said: String
    /// The names of all metrics.
    private let counted: Set<String>

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            .standardized
        let page = root.appending(path: "Sources/Heybot/Heybot.docc/WatchingHeybot.md")
        guide = try String(contentsOf: page, encoding: .utf8)
        sources = try ["Sources", "Scripts"].flatMap { folder in
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            // What is logged in tests of scripts nobody operates.
            return try (files?.compactMap { $0 as? URL } ?? [])
                .filter { ["swift", "c"].contains($0.pathExtension) && !$0.pathComponents.contains("HeybotTesting") }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }
        said = sources.flatMap { $0.split(separator: "\n") }.filter { $0.utf8.contains(UInt8(ascii: "\"")) }
            .joined(separator: "\n")
        counted = Set(said.matches(of: /"((?:heybot|process)_[a-z_]+)"/).map { String($0.1) })
    }

    @Test func `each metric is in its table, and each in its table is counted`() {
        let rows = guide.matches(of: /^\| `((?:heybot|process)_[a-z_]+)` \|/.anchorsMatchLineEndings())
        #expect(Set(rows.map { String($0.1) }) == counted)
    }

    @Test func `its rules ask for metrics that are counted`() {
        // Without what a histogram has behind its name.
        let name = /((?:heybot|process)_[a-z_]+?)(?:_bucket|_sum|_count)?(?![a-z_])/
        let listings = guide.matches(of: /```yaml\n((?s:.*?))```/)
        let asked = Set(listings.flatMap { $0.1.matches(of: name).map { String($0.1) } })
        #expect(!asked.isEmpty)
        #expect(asked.subtracting(counted) == [])
    }

    @Test func `each line that it explains is one that is said`() throws {
        let explained = try #require(guide.split(separator: "## What the lines mean").last)
        let lines = explained.matches(of: /^\| (`.+?`) \|/.anchorsMatchLineEndings())
        #expect(lines.count > 50)
        for line in lines {
            // What differs is left out there.
            let pieces = line.1.matches(of: /`([^`]+)`/).flatMap { $0.1.split(separator: "…") }
                .map { $0.trimmingCharacters(in: .whitespaces) }
            for piece in pieces where !piece.isEmpty {
                // All that is said is too long to be shown if this fails.
                let isSaid = said.contains(piece)
                #expect(isSaid, "nobody says that any more, or says it in pieces: \(line.1)")
            }
        }
    }

    @Test(arguments: ["warning", "error", "critical"])
    func `each line that is logged for somebody to look after is explained`(_ level: String) {
        let calls = sources.flatMap {
            $0.replacing("logger(of: route)", with: "logger").components(separatedBy: "logger.\(level)(").dropFirst()
        }
        #expect(!calls.isEmpty)
        for call in calls {
            guard let text = call.prefixMatch(of: /\s*"((?:[^"\\]|\\.)*)/)?.1 else { continue }
            // What differs and what to do about it may be left out.
            let pieces = text.split(separator: /\\\([^)]*\)?|[:;,(]/).map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.count >= 8 }
            #expect(pieces.isEmpty || pieces.contains { guide.contains($0) }, "\(text)")
        }
    }
}
