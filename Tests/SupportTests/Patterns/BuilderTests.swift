import RegexBuilder
import Testing

@testable import Heybot

@Suite struct `Regexes put together` {
    @Test func `one put together from parts has no text, as its groups aren't printed`() {
        #expect(Regex { Optionally { #/ab/# } }.literalText == nil)
        #expect(
            Regex {
                "a"; Optionally { #/bc/# }
            }.literalText == nil)
        #expect(
            Regex {
                "a";
                ChoiceOf {
                    "b"; "c"
                }
            }.ignoresCase().literalText == nil)
    }
}
