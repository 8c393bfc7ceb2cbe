import Foundation
import Heybot
import HeybotTesting
import StandardScripts
import Testing

@Suite struct StandardScriptsTests {
    @Test func `every example in the help is answered by its listener`() {
        let robot = TestRobot(name: "hubot", alias: "/", standardScripts)
        #expect(robot.brokenExamples() == [])
    }

    @Test func `every script is in the catalog`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Scripts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
        #expect(files.contains("PlusPlus.swift"))
        #expect(standardScripts.map { "\(type(of: $0)).swift" } == files.sorted())
    }
}
