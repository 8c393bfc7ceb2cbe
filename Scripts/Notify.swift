public import Heybot
import Logging

/// Says in a room what somebody on the web tells it to.
public struct Notify: Script {
    static let token = ScriptSetting(
        "NOTIFY_TOKEN", "the token of whoever may have the robot say something", isSecret: true)
    private static let longest = 4_000

    public init() {}

    public var topic: Topic { .work }
    public var settings: [any AnyScriptSetting] { [Self.token] }

    public func register(on robot: inout RobotBuilder) {
        guard let token = robot.value(of: Self.token) else { return }

        // As long as so many characters can well be, however they are written.
        robot.post("/notify/:room", limit: 64 << 10) { request in
            try request.verify(.token(token))
            let robot = request.robot
            let room = try robot.room(named: request.parameters.room)
            guard robot.switches.isOn(request.route.script, in: Room(id: room)) else {
                throw WebRefusal(403, "I'm to say nothing in \(room).")
            }
            let text = try Self.text(of: request)
            do {
                try await robot.messageRoom(room, text)
            } catch {
                request.logger.warning("a room can't be told: \(error)", metadata: ["room": "\(room)"])
                throw WebRefusal(503, "I can't say anything in \(room) just now.")
            }
            return .text("said")
        }
    }

    private struct Said: Decodable {
        let text: String
    }

    /// What is to be said.
    private static func text(of request: WebRequest) throws(WebRefusal) -> String {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        var text: String
        switch type {
        case nil, "", "text/plain": text = request.text
        case "application/json": text = try request.json(Said.self).text
        case "application/x-www-form-urlencoded":
            let form = try request.form()
            text = form["text"] ?? form["message"] ?? ""
        default: throw WebRefusal(415, "Send text/plain, JSON with a text, or a form with the field text.")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            throw WebRefusal(400, "There is nothing to say: send a text.")
        }
        guard text.count <= longest else {
            throw WebRefusal(413, "That is more than I say at once: send at most \(longest) characters.")
        }
        return text
    }
}
