import Testing

@testable import StandardScripts

/// A parsed page.
struct Document {
    let tokens: [Token]

    init(_ page: HelpPage) throws {
        tokens = try #require(Token.all(in: page.html))
    }

    /// The elements, their attributes' names and their scripts, but for what texts and queries may change.
    var structure: [Token] {
        var isInRawText = false
        return tokens.compactMap { token in
            switch token {
            case .start("var", _), .end("var"): return nil
            case .start(let name, let attributes):
                isInRawText = name == "script" || name == "style"
                let given = ["id", "href", "value", "nonce"]
                return .start(
                    name,
                    attributes.filter { $0.name != "hidden" }
                        .map { Token.Attribute(name: $0.name, value: given.contains($0.name) ? "" : $0.value) })
            case .text where !isInRawText: return nil
            case .end, .text, .other:
                isInRawText = false
                return token
            }
        }
    }

    /// The text of each element with that name, in order; of those with the attribute's value if one is named.
    func texts(in name: String, _ attribute: String = "", _ value: String = "") -> [String] {
        var texts: [String] = []
        var depth = 0
        for token in tokens {
            switch token {
            case .start(name, let attributes) where depth == 0:
                let isWanted = attribute.isEmpty || attributes.contains { $0.name == attribute && $0.value == value }
                guard isWanted else { continue }
                texts.append("")
                depth = 1
            case .start(name, _) where depth > 0: depth += 1
            case .end(name) where depth > 0: depth -= 1
            case .text(let text) where depth > 0: texts[texts.count - 1] += text
            default: break
            }
        }
        return texts
    }

    /// The values of that attribute.
    func values(of attribute: String, in name: String) -> [String] {
        tokens.flatMap { token in
            guard case .start(name, let attributes) = token else { return [] as [String] }
            return attributes.filter { $0.name == attribute }.map(\.value)
        }
    }

    /// Whether each element with that name is hidden.
    func isHidden(_ name: String) -> [Bool] {
        tokens.compactMap { token in
            guard case .start(name, let attributes) = token else { return nil }
            return attributes.contains { $0.name == "hidden" }
        }
    }
}

extension HelpPage.Section {
    /// A section of usages only.
    init(_ name: String, _ usages: String...) {
        self.init(name: name, commands: usages.map { HelpPage.Command(usage: $0) })
    }
}
