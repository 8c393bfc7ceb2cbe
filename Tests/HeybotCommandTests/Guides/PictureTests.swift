import Foundation
import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// Tests that the README's picture is current.
///
/// If one fails, record the picture again: Documentation/picture.py --record
@Suite struct PictureTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Documentation").standardized
    private let lines: [String]

    init() throws {
        lines = try String(contentsOf: Self.folder.appending(path: "conversation.txt"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test func `the recorded answers are current`() async throws {
        let prompt = "Heybot> "
        let robot = TestRobot(standardScripts)
        #expect(lines.first == "$ bin/heybot")
        let conversation = lines.drop { !$0.hasPrefix(prompt) }
        var questions = 0
        for (index, line) in zip(conversation.indices, conversation) where line.hasPrefix(prompt) {
            let question = String(line.dropFirst(prompt.count))
            if question == "exit" { continue }
            let shown = conversation[(index + 1)...].prefix { !$0.hasPrefix(prompt) }
            let answers = await robot.hears(question, from: "shell", in: "shell").map { answer in
                switch answer {
                case .text(let text), .reply(let text): text
                default: "\(answer)"
                }
            }
            #expect(answers.joined(separator: "\n") == shown.joined(separator: "\n"), "\(question)")
            questions += 1
        }
        #expect(questions > 5)
    }

    @Test(arguments: ["light", "dark"])
    func `the picture shows the recording`(_ theme: String) throws {
        let picture = try String(contentsOf: Self.folder.appending(path: "conversation-\(theme).svg"), encoding: .utf8)
        let shown = picture.matches(of: /<text [^>]*>(.*)<\/text>/).map { line in
            String(line.1).replacing(/<\/?tspan[^>]*>/, with: "").replacing("&lt;", with: "<").replacing(
                "&gt;", with: ">"
            )
            .replacing("&amp;", with: "&")
        }
        #expect(shown == lines)
    }
}
