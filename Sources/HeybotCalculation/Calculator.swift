/// Evaluates expressions as people type them in a chat: `2 + 2`, `20% of 50`, `10 km in miles`, `255 in hex`.
///
/// Fractions are exact as long as all operands are; otherwise results have about 15 digits. Limits keep the time to
/// milliseconds: a text has at most 500 characters, nesting at most 100 levels, and an exact number at most 10,000 digits.
package struct Calculator: Sendable {
    package init() {}

    /// Evaluates an expression.
    ///
    /// - Throws: ``CalculationError``, whose description is a sentence for the user.
    package func evaluate(_ text: String) throws(CalculationError) -> Quantity {
        var parser = Parser(try Lexer.tokens(text))
        return try parser.result()
    }
}
