import Heybot
import HeybotTesting
import Testing

@testable import HeybotXMPP
@testable import StandardScripts
@testable import XMPPAdapter

/// The ad-hoc commands on XMPP (XEP-0050): one that no script has would never be offered.
@Suite struct StandardAdHocCommandTests {
    @Test func `every ad-hoc command is one of a standard script`() {
        let robot = TestRobot(name: "hubot", standardScripts).robot
        let commands = Set(robot.listeners.flatMap(\.help).map(\.command))
        #expect(AdHocCommand.standard.map(\.node).filter { !commands.contains($0) } == [])
    }

    @Test func `help can be chosen for every topic`() throws {
        let help = try #require(AdHocCommand.standard.first { $0.node == "help" })
        guard case .choice(let options)? = help.fields.first?.kind else {
            Issue.record("there is nothing to choose")
            return
        }
        #expect(options.dropFirst().map(\.value) == ScriptTopic.allCases.map(\.word) + ["all"])
        #expect(options.dropFirst().map(\.label) == ScriptTopic.allCases.map(\.title) + ["All commands"])
    }
}
