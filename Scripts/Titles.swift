public import Heybot
import Logging

/// Announces the titles of web pages that messages link to.
public struct Titles: Script {
    static let isOn = ScriptSetting(
        "TITLES_ON", "whether to announce the titles of linked pages", default: false)
    private static let mostPages = 2

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Self.isOn] }

    public func register(on robot: inout RobotBuilder) {
        guard robot.value(of: Self.isOn) else { return }
        let recent = AnnouncementLimiter()

        robot.hear(
            /\bhttps?:\/\/\S+/, help: "<URL> - Show the title of a web page", example: "look at https://example.org/"
        ) { res in
            // Messages addressed to the robot are for other scripts.
            guard res.addressed == nil else { throw SkipListener() }
            let pages = PageURL.all(in: res.message.text ?? "").prefix(Self.mostPages)
            for page in pages where recent.claim(page.url, in: res.message.room.id, at: res.robot.date) {
                // The message wasn't addressed to the robot, so errors are only logged.
                do {
                    guard let title = try await page.title(res.http) else { continue }
                    try await res.send(title)
                } catch {
                    res.logger.debug("couldn't get the title of a page: \(error)")
                }
            }
        }
    }
}
