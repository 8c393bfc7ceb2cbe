public import Heybot
import Logging

/// Says the titles of web pages whose URLs people say in a room.
public struct Titles: Script {
    static let isOn = ScriptSetting(
        "TITLES_ON", "whether to say the titles of pages whose URLs are said", default: false)
    private static let mostPages = 2

    public init() {}

    public var topic: Topic { .work }
    public var settings: [any AnyScriptSetting] { [Self.isOn] }

    public func register(on robot: inout RobotBuilder) {
        guard robot.value(of: Self.isOn) else { return }
        let recent = RecentMentions()

        robot.hear(
            /\bhttps?:\/\/\S+/, help: "<URL> - Show the title of a web page", example: "look at https://example.org/"
        ) { res in
            // What is said to the robot is for another script.
            guard res.addressed == nil else { throw Pass() }
            let pages = PageAddress.all(in: res.message.text ?? "").prefix(Self.mostPages)
            for page in pages where recent.claim(page.url, in: res.message.room.id, at: res.robot.date) {
                // Nobody asked the robot, so it says nothing of its troubles.
                do {
                    guard let title = try await page.title(res.http) else { continue }
                    try await res.send(title)
                } catch {
                    res.logger.debug("a page's title can't be told: \(error)")
                }
            }
        }
    }
}
