import Foundation
import Testing

/// Tests that the guide to watching a robot matches the sources.
@Suite struct WatchingGuideTests {
    private let guide: String
    private let sources: [String]
    /// All lines of the sources that contain a string.
    private let strings: String
    /// The names of all metrics.
    private let metrics: Set<String>

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            .standardized
        let page = root.appending(path: "Sources/Heybot/Heybot.docc/WatchingHeybot.md")
        guide = try String(contentsOf: page, encoding: .utf8)
        sources = try ["Sources", "Scripts"].flatMap { folder in
            let files = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            // The log of a test isn't an operator's.
            return try (files?.compactMap { $0 as? URL } ?? [])
                .filter { ["swift", "c"].contains($0.pathExtension) && !$0.pathComponents.contains("HeybotTesting") }
                .map { try String(contentsOf: $0, encoding: .utf8) }
        }
        strings = sources.flatMap(Self.stringLines).joined(separator: "\n")
        metrics = Set(strings.matches(of: /"((?:heybot|process)_[a-z_]+)"/).map { String($0.1) })
    }

    /// Returns the lines of a source that contain a string or are part of a multi-line one.
    private static func stringLines(_ source: String) -> [Substring] {
        var isInString = false
        return source.split(separator: "\n").filter { line in
            if line.utf8.contains(UInt8(ascii: "\"")) {
                if line.contains("\"\"\"") { isInString.toggle() }
                return true
            }
            return isInString
        }
    }

    @Test func `the table has every metric, and no others`() {
        let rows = guide.matches(of: /^\| `((?:heybot|process)_[a-z_]+)` \|/.anchorsMatchLineEndings())
        #expect(Set(rows.map { String($0.1) }) == metrics)
    }

    @Test func `the alerting rules use existing metrics`() {
        // Without the suffixes of a histogram's lines.
        let name = /((?:heybot|process)_[a-z_]+?)(?:_bucket|_sum|_count)?(?![a-z_])/
        let listings = guide.matches(of: /```yaml\n((?s:.*?))```/)
        let used = Set(listings.flatMap { $0.1.matches(of: name).map { String($0.1) } })
        #expect(!used.isEmpty)
        #expect(used.subtracting(metrics) == [])
    }

    @Test func `every explained line exists`() throws {
        let explained = try #require(guide.split(separator: "## What the lines mean").last)
        let lines = explained.matches(of: /^\| (`.+?`) \|/.anchorsMatchLineEndings())
        #expect(lines.count > 50)
        for line in lines {
            // The guide leaves out the variable parts.
            let pieces = line.1.matches(of: /`([^`]+)`/).flatMap { $0.1.split(separator: "…") }
                .map { $0.trimmingCharacters(in: .whitespaces) }
            for piece in pieces where !piece.isEmpty {
                // A failed expectation would print all strings.
                let exists = strings.contains(piece)
                #expect(exists, "this line is gone, or is split in the source: \(line.1)")
            }
        }
    }

    @Test(arguments: ["warning", "error", "critical"])
    func `every warning and error is explained`(_ level: String) {
        let calls = sources.flatMap {
            $0.replacing("logger(of: route)", with: "logger").components(separatedBy: "logger.\(level)(").dropFirst()
        }
        #expect(!calls.isEmpty)
        for call in calls {
            guard let text = call.prefixMatch(of: /\s*"((?:[^"\\]|\\.)*)/)?.1 else { continue }
            // The guide may leave out the variable parts and the fix.
            let pieces = text.split(separator: /\\\([^)]*\)?|[:;,(]/).map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.count >= 8 }
            #expect(pieces.isEmpty || pieces.contains { guide.contains($0) }, "\(text)")
        }
    }
}
