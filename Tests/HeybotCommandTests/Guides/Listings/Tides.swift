public import Heybot

/// Answers with the tide.
public struct Tides: Script {
    private struct Report: Decodable {
        let centimeters: Int
    }

    public init() {}

    public func register(on robot: inout RobotBuilder) {
        robot.respond(
            /tide in (.+)$/, help: "tide in <port> - Show how high the water is", example: "tide in Dover"
        ) { res in
            let port = String(res.match.1)
            let answer = try await res.http.get("https://api.example.org/tide", query: ["port": port])
            let report = try answer.json(Report.self)
            try await res.reply("The water is \(report.centimeters) cm high in \(port).")
        }
    }
}
