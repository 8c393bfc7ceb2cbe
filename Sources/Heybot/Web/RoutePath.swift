/// The path pattern of a route.
///
/// In `/github/:room`, the component that begins with a colon is a parameter.
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

    /// Matches a path, and returns its parameters; nil if it doesn't match.
    ///
    /// - Parameter parts: The components of the path, percent-decoded.
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

    /// Whether both patterns match the same paths.
    func isSame(as other: RoutePath) -> Bool {
        func shape(_ path: RoutePath) -> [String?] {
            path.parts.map { if case .literal(let text) = $0 { text } else { nil } }
        }
        return shape(self) == shape(other)
    }

    /// What is wrong with the pattern; nil if it is valid.
    var problem: String? {
        let names = parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
        if !description.hasPrefix("/") { return "its path must start with a slash" }
        if description.contains(where: { "%?#".contains($0) }) {
            return "its path must be percent-decoded and have no query"
        }
        if names.contains("") { return "a parameter has no name after its colon" }
        if Set(names).count < names.count { return "two parameters have the same name" }
        return nil
    }

    /// Splits a requested path into percent-decoded components.
    ///
    /// A trailing slash is ignored.
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
