import HeybotSupport

/// Markup that is put together from literals; a string that is interpolated is text in it, and can't be anything else.
struct HTML: ExpressibleByStringInterpolation {
    /// The markup itself.
    private(set) var source: String

    init(stringLiteral source: String) {
        self.source = source
    }

    init(stringInterpolation: Interpolation) {
        source = stringInterpolation.source
    }

    static func += (html: inout HTML, other: HTML) {
        html.source += other.source
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) {
            source += literal
        }

        /// Text between tags, or in the quotes of an attribute.
        mutating func appendInterpolation(_ text: some StringProtocol) {
            source += SafeText.html(SafeText.pictured(text))
        }

        mutating func appendInterpolation(_ html: HTML, if isWanted: Bool = true) {
            if isWanted { source += html.source }
        }

        mutating func appendInterpolation(_ lines: [HTML]) {
            source += lines.map(\.source).joined(separator: "\n")
        }
    }
}
