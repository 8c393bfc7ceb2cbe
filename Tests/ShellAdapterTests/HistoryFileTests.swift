import Foundation
import Heybot
import Testing

@testable import ShellAdapter

@Suite struct HistoryFileTests {
    /// An unused path in a temporary directory.
    private func withPath<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.appending(path: "history").path)
    }

    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @Test func `the history is loaded in the next run, and private`() throws {
        try withPath { path in
            var file = HistoryFile(path: path, size: 10)
            #expect(try file.load() == [])
            let lines = ["one", "two\nlines", "back\\slash\\n", "\\", "日本"]
            for line in lines { try file.append(line) }
            var next = HistoryFile(path: path, size: 10)
            #expect(try next.load() == lines)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try bytes(path) == Data("one\ntwo\\nlines\nback\\\\slash\\\\n\n\\\\\n日本\n".utf8))
        }
    }

    @Test func `several robots share the file`() throws {
        try withPath { path in
            var (one, other) = (HistoryFile(path: path, size: 10), HistoryFile(path: path, size: 10))
            _ = (try one.load(), try other.load())
            try one.append("a")
            try other.append("b")
            try one.append("c")
            #expect(try other.load() == ["a", "b", "c"])
        }
    }

    @Test func `no line is lost if one process shortens the file and others write`() throws {
        try withPath { path in
            var files = (0..<4).map { _ in HistoryFile(path: path, size: 5) }
            for number in 0..<200 { try files[number % 4].append("\(number)") }
            var last = HistoryFile(path: path, size: 5)
            #expect(try last.load() == (195..<200).map(String.init))
            #expect(try bytes(path).count < 200)
        }
    }

    @Test func `no line is lost with concurrent writers`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "history").path
        try await withThrowingTaskGroup { group in
            for writer in ["a", "b", "c"] {
                group.addTask {
                    try await BlockingThread().run {
                        var file = HistoryFile(path: path, size: 4)
                        for number in 0..<400 { try file.append("\(writer)\(number)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        // The remaining lines of each writer are its last ones, without a gap.
        let left = String(decoding: try bytes(path), as: UTF8.self).split(separator: "\n")
        #expect(left.count >= 4)
        for lines in Dictionary(grouping: left, by: { $0.prefix(1) }).values {
            let numbers = lines.compactMap { Int($0.dropFirst()) }
            #expect(numbers == Array(400 - numbers.count..<400))
        }
    }

    @Test func `the file is shortened to the newest lines when it is twice as long`() throws {
        try withPath { path in
            var file = HistoryFile(path: path, size: 3)
            for number in 1...6 { try file.append("\(number)") }
            #expect(try bytes(path) == Data("1\n2\n3\n4\n5\n6\n".utf8))
            try file.append("7")
            #expect(try bytes(path) == Data("5\n6\n7\n".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try Data((1...100).map { "\($0)\n" }.joined().utf8).write(to: URL(filePath: path))
            #expect(try file.load() == ["98", "99", "100"])
            #expect(try bytes(path) == Data("98\n99\n100\n".utf8))
        }
    }

    @Test func `garbage and an incomplete line are handled`() throws {
        try withPath { path in
            try (Data("ok\n\n\n".utf8) + [0xff, 0xfe, 0x00, 0x0a] + Data("tail\\x\\\nhalf".utf8))
                .write(to: URL(filePath: path))
            var file = HistoryFile(path: path, size: 10)
            #expect(try file.load() == ["ok", "\u{fffd}\u{fffd}\u{0}", "tail\\x\\", "half"])
            try file.append("new")
            #expect(try file.load().suffix(2) == ["half", "new"])
        }
    }

    @Test func `a path that can't be a history is an error`() throws {
        try withPath { path in
            var missing = HistoryFile(path: path + "/no/such", size: 10)
            #expect(try missing.load() == [])
            #expect(throws: HistoryFile.FileError.self) { try missing.append("x") }
            var folder = HistoryFile(path: URL(filePath: path).deletingLastPathComponent().path, size: 10)
            #expect(throws: HistoryFile.FileError.self) { _ = try folder.load() }
            var nothing = HistoryFile(path: "/dev/null", size: 10)
            #expect(try nothing.load() == [])
            try nothing.append("x")
        }
    }
}
