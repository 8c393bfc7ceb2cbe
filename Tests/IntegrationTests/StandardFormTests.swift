import Heybot
import HeybotTesting
import Testing

@testable import HeybotXMPP
@testable import StandardScripts
@testable import XMPPAdapter

/// The commands that users on XMPP can give by forms (XEP-0050): a form without a command would never be offered.
@Suite struct StandardFormTests {
    @Test func `every form stands for a command of a standard script`() {
        let robot = TestRobot(name: "hubot", standardScripts).robot
        let commands = Set(robot.listeners.flatMap(\.help).map(\.command))
        #expect(CommandForm.standard.map(\.command).filter { !commands.contains($0) } == [])
    }

    @Test func `help can be chosen for every topic`() throws {
        let form = try #require(CommandForm.standard.first { $0.command == "help" })
        guard case .choice(let options)? = form.fields.first?.kind else {
            Issue.record("there is nothing to choose")
            return
        }
        #expect(options.dropFirst().map(\.value) == ScriptTopic.allCases.map(\.word))
        #expect(options.dropFirst().map(\.label) == ScriptTopic.allCases.map(\.title))
    }
}
