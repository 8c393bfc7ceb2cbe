/// Reads settings from the environment, and remembers what was wrong and what was asked for.
struct SettingsReader {
    private let environment: [String: String]
    private var known: Set<String> = []
    var problems: [String] = []

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// A setting's text; what is set to nothing is not set.
    mutating func text(_ name: String, flag: String? = nil) -> String? {
        find(name, flag)?.text
    }

    /// A setting's value; where it can't be read, that is a problem.
    mutating func value<Value>(
        _ name: String, flag: String? = nil, _ expected: String, _ read: (String) -> Value?
    ) -> Value? {
        guard let (source, text) = find(name, flag) else { return nil }
        if let value = read(text) { return value }
        problems.append("\(source) is \"\(text)\"; expected \(expected)")
        return nil
    }

    /// A setting's parts, with commas between them.
    mutating func list(_ name: String) -> [String] {
        text(name).map(Self.list) ?? []
    }

    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            var part = part.drop(while: \.isWhitespace)
            while part.last?.isWhitespace == true { part.removeLast() }
            return String(part)
        }
        .filter { !$0.isEmpty }
    }

    /// Throws everything that was wrong.
    ///
    /// A `HEYBOT_` name nobody asked for is wrong too; a `HUBOT_` one is some script's.
    func finish() throws {
        let unknown = environment.keys.filter { $0.hasPrefix("HEYBOT_") && !known.contains($0) }.sorted()
        let all =
            problems + unknown.map { "\($0) is not a setting\(nearest($0).map { "; did you mean \($0)?" } ?? "")" }
        if !all.isEmpty { throw SettingsError.wrong(all) }
    }

    private mutating func find(_ name: String, _ flag: String?) -> (source: String, text: String)? {
        known.insert("HEYBOT_\(name)")
        if let flag, !flag.isEmpty { return ("--\(name.lowercased().replacing("_", with: "-"))", flag) }
        for source in ["HEYBOT_\(name)", "HUBOT_\(name)"] {
            if let text = environment[source], !text.isEmpty { return (source, text) }
        }
        return nil
    }

    private func nearest(_ name: String) -> String? {
        known.map { (distance($0, name), $0) }.min { $0 < $1 }.flatMap { $0.0 <= 3 ? $0.1 : nil }
    }

    /// How many letters must be put in, left out or changed to make one of the other (Levenshtein).
    private func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (i, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, otherLetter) in other.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == otherLetter ? 0 : 1))
                diagonal = above
            }
        }
        return row[other.count]
    }
}
