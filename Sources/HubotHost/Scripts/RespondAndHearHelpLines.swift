/// The help lines of a Hubot script, as the robot's help has them.
struct RespondAndHearHelpLines: Sendable {
    /// The lines of commands that are addressed to the robot, without its name.
    private(set) var commands: [String] = []
    /// The other lines.
    private(set) var others: [String] = []

    /// - Parameter lines: Hubot's lines, such as `hubot ping - Answers`.
    init(_ lines: [String], robotName: String) {
        for line in lines {
            let text = line.split(whereSeparator: \.isNewline).joined(separator: " ")
            let words = text.drop { $0 == " " }
            let name = ["hubot", robotName].first { words.lowercased().hasPrefix($0.lowercased()) }
            let rest = name.map { words.dropFirst($0.count) }
            if let rest, let next = rest.first, " :,".contains(next) {
                commands.append(String(rest.drop { " :,".contains($0) }))
            } else if !words.isEmpty {
                others.append(String(words))
            }
        }
    }
}
