import Heybot
import HeybotTesting
import StandardScripts
import Testing

/// The texts of regex literals that the build plugin has found in the scripts.
@Suite struct PatternTextTests {
    /// A script whose literals have no texts, so that they are evaluated when they are registered.
    private struct WithoutTexts: Script {
        let script: any Script

        var name: String { script.name }
        var topic: ScriptTopic { script.topic }
        var settings: [any AnyScriptSetting] { script.settings }
        var patternTexts: [String: String] { [:] }

        func register(on robot: inout RobotBuilder) { script.register(on: &robot) }
    }

    private func listeners(_ script: any Script) -> [Listener] {
        let robot = TestRobot(name: "hubot", settings: [:], script).robot
        return robot.listeners
    }

    @Test func `each text means what its literal means`() {
        var count = 0
        for script in standardScripts {
            let (known, evaluated) = (listeners(script), listeners(WithoutTexts(script: script)))
            #expect(known.map(\.id) == evaluated.map(\.id))
            for (known, evaluated) in zip(known, evaluated) {
                #expect(known.requirements == evaluated.requirements, "\(known.id)")
                guard let text = known.pattern, let printed = evaluated.pattern, text != printed else { continue }
                let tree = RegexAST(text, dialect: .swift, ignoresCase: true)
                #expect(tree != nil && tree == RegexAST(printed, dialect: .swift, ignoresCase: true), "\(known.id)")
            }
            count += known.count
        }
        #expect(count > 150)
    }

    @Test func `the texts of nearly all literals are found at the places where they are registered`() {
        let listeners = standardScripts.flatMap { self.listeners(Marked(script: $0)) }
        let registered = listeners.filter { $0.trigger == .hear || $0.trigger == .respond }
        let found = registered.count { $0.pattern?.hasPrefix(Marked.mark) == true }
        #expect(registered.count > 150 && found * 10 > registered.count * 7, "\(found) of \(registered.count)")
    }
}

/// A script with a mark before each text that the build plugin has found.
private struct Marked: Script {
    static let mark = "zz"

    let script: any Script

    var name: String { script.name }
    var settings: [any AnyScriptSetting] { script.settings }
    var patternTexts: [String: String] { script.patternTexts.mapValues { Self.mark + $0 } }

    func register(on robot: inout RobotBuilder) { script.register(on: &robot) }
}
