import HeybotSupport

/// HTML built from literals.
///
/// Interpolated strings are escaped, so that they can't be markup.
struct HTML: ExpressibleByStringInterpolation {
    /// The HTML source.
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

        /// Escapes a text, for content or for quoted attributes.
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
