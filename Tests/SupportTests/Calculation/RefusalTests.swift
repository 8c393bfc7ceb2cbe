import Foundation
import HeybotCalculation
import Testing

@Suite struct RefusalTests {
    private func refusal(_ text: String) -> String? {
        do {
            _ = try Calculator().evaluate(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("", "There is nothing to calculate."), ("  \u{a0} ", "There is nothing to calculate."),
        ("5 +", "Something is missing after +."), ("5 + * 3", "Something is missing after +."),
        ("sqrt", "Something is missing after sqrt."),
        ("(5", "A closing parenthesis is missing."), ("5)", "There is one closing parenthesis too many."),
        (")", "There is one closing parenthesis too many."), ("()", "Something is missing after (."),
        ("max(1,", "Something is missing after ,."), ("* 5", "I don't understand *."),
        ("$5", "I don't understand $."),
        ("1.5.2", "I don't understand .2."), ("2 3", "I don't understand 3."),
        ("2 to", "Something is missing after to."),
        ("foo", "I don't know what foo is."), ("2 + foo", "I don't know what foo is."),
        ("5 furlongz", "I don't know the unit furlongz."), ("5 km in furlongz", "I don't know the unit furlongz."),
        ("foo(3)", "I don't know the function foo."), ("sqrt(1, 2)", "sqrt takes one number."),
        ("gcd()", "gcd takes one number or more."),
        ("1,23", "I can't read 1,23: commas go before groups of three digits, and a point before decimals."),
        ("0b12", "I can't read 0b12 as a number."),
        ("10 % 3", "Is that a percentage or a remainder? Write 10% of 3, or 10 mod 3."),
        ("10%(3)", "Is that a percentage or a remainder? Write 10% of 3, or 10 mod 3.")
    ]) func `what can't be read`(_ text: String, _ sentence: String) {
        #expect(refusal(text) == sentence)
    }

    @Test(arguments: [
        ("5 km + 3 s", "km is a length and s is a time: they can't be added."),
        ("5 km - 3", "km is a length and 3 is a plain number: they can't be subtracted."),
        ("5 km in kg", "km is a length and kg is a mass: they can't be converted into each other."),
        ("5 in km", "5 is a plain number and km is a length: they can't be converted into each other."),
        ("max(1 km, 1 s)", "s is a time and km is a length: they can't be compared."),
        ("5 km mod 3 s", "km is a length and s is a time: they can't be divided with a remainder."),
        ("ln(5 km)", "ln takes a plain number, not a length."), ("(5 km)!", "! takes a plain number, not a length."),
        ("2^(5 km)", "I can't calculate that power with the unit km."),
        ("(5 km)^0.5", "I can't calculate that power with the unit km."),
        ("(5 km)^pi", "I can't calculate that power with the unit km."),
        ("5 km in hex", "In base 16 I can only write whole numbers of at most 200 digits."),
        ("0.5 in binary", "In base 2 I can only write whole numbers of at most 200 digits."),
        ("2^300 in binary", "In base 2 I can only write whole numbers of at most 200 digits."),
        ("5 in base 1", "I know bases from 2 to 36."),
        ("5 in base 99999999999999999999", "I know bases from 2 to 36."),
        ("sin(5 km)", "sin takes a plain number, not a length.")
    ]) func `kinds that don't go together`(_ text: String, _ sentence: String) {
        #expect(refusal(text) == sentence)
    }

    @Test(arguments: [
        ("1/0", "Division by zero."), ("0^-1", "Division by zero."), ("5 mod 0", "Division by zero."),
        ("0^-0.5", "Division by zero."),
        ("1/(1-1) km", "Division by zero."), ("pi mod 0", "Division by zero."), ("5 km / 0 s", "Division by zero."),
        ("sqrt(-4)", "That has no real result."),
        ("(-2)^0.5", "That has no real result."),
        ("tan(90°)", "That has no real result."),
        ("asin(2)", "That has no real result."),
        ("ln(0)", "ln takes numbers above 0."), ("(-1)!", "A factorial takes a number of at least 0."),
        ("2.5!", "! takes whole numbers only."),
        ("sin(10^16)", "sin takes at most 10^15 radians."), ("gcd(1.5, 2)", "gcd takes whole numbers only."),
        ("choose(-1, 2)", "choose takes numbers of at least 0."),
        ("choose(2.5, 2)", "choose takes whole numbers only."),
        ("round(1, 10^9)", "round takes a whole number of decimals, at most 1,000.")
    ]) func `what has no answer`(_ text: String, _ sentence: String) {
        #expect(refusal(text) == sentence)
    }

    @Test(arguments: [
        "2^999999999", "9^9^9^9", "1000000!", "3249!", "choose(10^9, 10^8)", "choose(10^18, 10^17)",
        "choose(10^40, 10^39)",
        "1e999999999", "1e99999999999999999999", "1e10000", "10^9999 * 10", "(10^9000)*(10^9000)", "2^33220",
        "9999999999999999999!", "(10^9999)^(10^9999)", "10^9999 + 9 * 10^9999", "lcm(10^6000, 10^6000 - 1)",
        "cbrt(10^9999)^5"
    ]) func `what is too much is refused at once`(_ text: String) {
        #expect(refusal(text) == "That's too large for me: the limit is 10,000 digits.")
    }

    @Test(arguments: [
        "exp(1000)", "exp(-1000)", "pi / 3^9999", "pi * 3^-9999", "1e-300 * pi * 1e-300", "10^5000 * pi",
        "sqrt(2 * 10^5000)",
        "0.5^40000000", "1.5^9999999999", "2^-33220"
    ]
    )
    func `what no double holds is refused`(_ text: String) {
        let sentence = "That's too large or too small for me: I can handle about 10^-308 to 10^308."
        #expect(refusal(text) == sentence)
    }

    @Test(arguments: [
        "2^33219", "3248!", "1e9999", "10^9999 * 9", "choose(33000, 12000)", "10^9999 mod 7", "(10^9999)^-1"
    ])
    func `what is just not too much is worked out`(_ text: String) {
        #expect(refusal(text) == nil)
    }

    @Test func `units don't pile up`() {
        #expect(refusal("((m^9)^9)^9") == "That's too many different units for me.")
        #expect(refusal("(m^9)^(10^18)") == "That's too many different units for me.")
        #expect(refusal("kg m s K ° bit A L ha") == "That's too many different units for me.")
    }

    @Test func `texts are bounded`() {
        #expect(refusal(String(repeating: "1", count: 500)) == nil)
        #expect(refusal(String(repeating: "1", count: 501)) == "That's too long for me: the limit is 500 characters.")
        #expect(
            refusal("e" + String(repeating: "\u{301}", count: 100_000))
                == "That's too long for me: the limit is 500 characters.")
    }

    @Test(arguments: [
        ("(", ")"), ("1^(", ")"), ("1^", ""), ("sqrt(", ")"), ("√", ""), ("sqrt ", ""), ("max(1,", ")"), ("-(", ")")
    ]) func `nesting is bounded`(_ open: String, _ close: String) async throws {
        // As small a stack as threads have anywhere: 512 kB.
        let deep = { (count: Int) in
            String(repeating: open, count: count) + "1" + String(repeating: close, count: count)
        }
        let shallow = deep(min(49, 490 / (open.utf8.count + close.utf8.count)))
        let tooDeep = deep(101)
        let answers = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(returning: [shallow, tooDeep].map { refusal($0) })
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(answers[0] == nil)
        let isLong = tooDeep.unicodeScalars.count > 500
        #expect(
            answers[1]
                == (isLong
                    ? "That's too long for me: the limit is 500 characters."
                    : "That's nested too deeply for me: the limit is 100 levels."))
    }

    @Test func `names that were typed are cut and cleaned`() {
        let long = String(repeating: "q", count: 400)
        #expect(refusal("5 " + long) == "I don't know the unit \(String(repeating: "q", count: 39))….")
        #expect(refusal("5 \u{7}") == "I don't understand that.")
        #expect(refusal("5 \u{202e}") == "I don't understand that.")
    }
}
