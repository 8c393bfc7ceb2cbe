/// The paths that a route answers: `/github/:room` takes any one part where a part begins with a colon.
struct RoutePath: Hashable, Sendable, CustomStringConvertible {
    private enum Part: Hashable, Sendable {
        case literal(String)
        case parameter(String)
    }

    let description: String
    private let parts: [Part]

    init(_ text: String) {
        description = text
        parts = Self.split(text).map { $0.hasPrefix(":") ? .parameter(String($0.dropFirst())) : .literal(String($0)) }
    }

    /// What stands if the parameters are; nil if it is another path.
    ///
    /// - Parameter parts: The path's own, percent-decoded.
    func match(_ parts: [String]) -> [String: String]? {
        guard parts.count == self.parts.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, text) in zip(self.parts, parts) {
            switch part {
            case .literal(let literal): if literal != text { return nil }
            case .parameter(let name):
                if text.isEmpty { return nil }
                parameters[name] = text
            }
        }
        return parameters
    }

    /// Whether it answers the same paths as the other.
    func isSame(as other: RoutePath) -> Bool {
        func shape(_ path: RoutePath) -> [String?] {
            path.parts.map { if case .literal(let text) = $0 { text } else { nil } }
        }
        return shape(self) == shape(other)
    }

    /// What is wrong with it; nil if nothing is.
    var problem: String? {
        let names = parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
        if !description.hasPrefix("/") { return "a path begins with a slash" }
        if description.contains(/[%?#]/) { return "a path is written as it is decoded, without a query" }
        if names.contains("") { return "a parameter needs a name after its colon" }
        if Set(names).count < names.count { return "two of its parameters have one name" }
        return nil
    }

    /// The parts of a path as it is asked for; a slash at its end is as good as none.
    static func parts(of path: some StringProtocol) -> [String] {
        split(path).map { percentDecoded($0.utf8) }
    }

    private static func split<Text: StringProtocol>(_ path: Text) -> [Text.SubSequence] {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        if parts.first?.isEmpty == true { parts.removeFirst() }
        if parts.last?.isEmpty == true { parts.removeLast() }
        return parts
    }
}
