import Foundation
import HeybotTesting
import Testing

@testable import Heybot

/// Files that scripts send, and files that they get.
@Suite(.timeLimit(.minutes(15))) struct AttachmentTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "heybot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    // MARK: Sending

    @Test func `a file is read from the disk`() throws {
        let path = folder.appending(path: "notes.txt").path
        try Data("tea".utf8).write(to: URL(filePath: path))
        let file = try Attachment(fileAt: path, type: "text/plain")
        #expect(file == Attachment(name: "notes.txt", type: "text/plain", bytes: Array("tea".utf8)))
        #expect(file.alternative == "notes.txt")
    }

    @Test func `a file that is missing, too large, or no ordinary one isn't read`() throws {
        func problem(_ path: String) -> String? {
            do throws(AttachmentError) {
                _ = try Attachment(fileAt: path, type: "text/plain")
                return nil
            } catch {
                return error.userMessage
            }
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let large = folder.appending(path: "large.bin").path
        try Data(repeating: 0, count: Attachment.largestSize + 1).write(to: URL(filePath: large))
        #expect(problem(large) == "I can't send that file: large.bin is larger than 32 MiB: shorten it.")
        #expect(problem("/dev/zero") == "I can't send that file: zero isn't an ordinary file.")
        #expect(problem(folder.path)?.hasSuffix("isn't an ordinary file.") == true)
        let missing = folder.appending(path: "missing").path
        #expect(problem(missing) == "I can't send that file: missing can't be read: No such file or directory.")
    }

    @Test func `a file that is too large isn't sent`() async {
        let bytes = [UInt8](repeating: 0, count: Attachment.largestSize + 1)
        let file = Attachment(name: "large.bin", type: "a/b", bytes: bytes)
        let robot = TestRobot(
            InlineScript { robot in
                robot.hear(/post here/) { try await $0.send(file) }
                robot.hear(/elsewhere/) { try await $0.robot.messageRoom("#other", file) }
            })
        let answer = [Utterance.reply("I can't send that file: large.bin is larger than 32 MiB: shorten it.")]
        #expect(await robot.hears("post here") == answer)
        #expect(await robot.hears("elsewhere") == answer)
        #expect(robot.said(in: "#other").isEmpty)
    }

    @Test func `a file can be sent to another room`() async {
        let file = Attachment(name: "a.txt", type: "text/plain", bytes: [65])
        let robot = TestRobot(InlineScript { $0.hear(/post/) { try await $0.robot.messageRoom("#other", file) } })
        _ = await robot.hears("post")
        #expect(robot.said(in: "#other") == [.attachment(file)])
    }

    @Test(
        arguments: [
            ("Sales", "image/png", [1], "Sales"), (nil, "text/plain", [65, 66], "AB"), (nil, "image/png", [65], nil),
            ("", "text/plain", [65], "A"), (nil, "text/plain", [0xff], nil), (nil, "text/plain", [], nil),
            (nil, "text/plain", [10, 32], nil), (nil, "text/plain", [UInt8](repeating: 65, count: 4_097), nil)
        ] as [(String?, String, [UInt8], String?)])
    func `what stands in for a file`(
        _ alternative: String?, _ type: String, _ bytes: [UInt8], _ text: String?
    ) {
        #expect(Attachment(name: "a", type: type, bytes: bytes, alternative: alternative).plainText == text)
    }

    // MARK: Receiving

    private let url = "https://example.org/notes.txt"

    private func read(_ file: Message.AttachedFile, upTo limit: Int = 3, _ answer: String) async -> String {
        let web = StubHTTPClient()
        web.answerOthers(.text(answer))
        do {
            let bytes = try await file.read(upTo: limit, with: web)
            let isGuarded = web.requests.map(\.addresses) == [.publicOnly] && web.requests.map(\.limit) == [limit]
            return "\(isGuarded ? "" : "unguarded: ")\(String(decoding: bytes, as: UTF8.self))"
        } catch let error as HTTPError {
            return "\(web.requests.count): \(error.code)"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a file is read from public addresses, up to a limit`() async {
        let file = Message.AttachedFile(url: url)
        #expect(await read(file, "tea") == "tea")
        #expect(await read(file, "coffee") == "1: tooLong")
        #expect(await read(Message.AttachedFile(url: url, size: 4), "tea") == "0: tooLong")
        #expect(await read(Message.AttachedFile(url: url, size: -4), "tea") == "tea")
        #expect(await read(Message.AttachedFile(url: url, size: .max), "tea") == "0: tooLong")
    }

    @Test func `a file with another content than announced isn't read`() async {
        let file = Message.AttachedFile(url: url, sha256: "qfdNHsNuvesto/blhoCQzSotILPcynti9gMEsdPZ70I=")
        #expect(await read(file, "tea") == "tea")
        #expect(await read(file, "ale") == "1: unreadable")
    }
}
