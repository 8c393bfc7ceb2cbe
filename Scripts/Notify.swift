public import Heybot
import Logging

/// Posts messages from programs, received over HTTP, in rooms.
public struct Notify: Script {
    static let token = ScriptSetting(
        "NOTIFY_TOKEN", "the token with which programs can post in rooms", isSecret: true)
    private static let longest = 4_000

    public init() {}

    public var topic: ScriptTopic { .work }
    public var settings: [any AnyScriptSetting] { [Self.token] }

    public func register(on robot: inout RobotBuilder) {
        guard let token = robot.value(of: Self.token) else { return }

        // Enough for the longest text in any encoding.
        robot.post("/notify/:room", limit: 64 << 10, proof: .token(token)) { request in
            let robot = request.robot
            let room = try robot.room(named: request.parameters.room)
            guard robot.switches.isOn(request.route.script, in: Room(id: room)) else {
                throw WebRefusal(403, "I can't post in \(room): the script \(request.route.script) is disabled there.")
            }
            let text = try Self.text(of: request)
            guard await robot.isIn(Room(id: room)) != false else {
                throw WebRefusal(404, "I'm not in \(room). Check the room's name, and write %23 for # in the URL.")
            }
            do {
                try await robot.messageRoom(room, text)
            } catch {
                request.logger.warning("couldn't post in a room: \(error)", metadata: ["room": "\(room)"])
                throw WebRefusal(503, "I can't post in \(room) right now.")
            }
            return .text("posted")
        }
    }

    /// Returns the text of a request.
    private static func text(of request: WebRequest) throws(WebRefusal) -> String {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        var text: String
        switch type {
        case nil, "", "text/plain": text = request.text
        case "application/json": text = try request.json(NotifyPayload.self).text
        case "application/x-www-form-urlencoded":
            let form = try request.form()
            text = form["text"] ?? form["message"] ?? ""
        default:
            throw WebRefusal(
                415,
                "Send plain text (text/plain), JSON such as {\"text\": \"Hello\"}, or a form with a field named text.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw WebRefusal(400, "There is no text to post: send some text.")
        }
        guard text.count <= longest else {
            throw WebRefusal(413, "That's too long: send at most \(longest) characters.")
        }
        return text
    }
}
