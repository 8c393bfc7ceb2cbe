import RegexBuilder
import Testing

@testable import Heybot

@Suite struct `Regexes built with RegexBuilder` {
    @Test func `a built regex has no text, because its groups aren't printed`() {
        #expect(Regex { Optionally { #/ab/# } }.patternSource == nil)
        #expect(
            Regex {
                "a"; Optionally { #/bc/# }
            }.patternSource == nil)
        #expect(
            Regex {
                "a";
                ChoiceOf {
                    "b"; "c"
                }
            }.ignoresCase().patternSource == nil)
    }
}
