import Testing

@testable import Heybot

struct BacktrackingRiskTests {
    /// Patterns measured to take exponential time in Swift 6.3.1: more than two seconds for at most 80 characters.
    static let dangerous = [
        "(a+)+$", "(a*)*$", "(a*)+$", "(a|a)*$", "(a|a)+$", "(a|ab|b)*c", #"(\w+\s?)*$"#, "(.*,)*$",
        "([a-z]+[0-9]*)+$", "(a+b?)+$", #"(\d+|\w+)*$"#, "(a{1,20}){1,20}$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(.+)+$", #"(\s*\S+)*$"#, "(a+?)+$", "(a+)+?$", "(a?b?)*$", "(a?a)*$", "(a?a?)*$", "(a?){20}$",
        "(a?){20}a{20}", "(a{0,9}){0,9}$", "(a{1,9}){1,9}$", "(a{1,9})*$", "(a{1,2})*$", "(a{2,3})*$", "(aa|aaa)+$",
        "(a|b|ab)*c", "(a|[ab])*c", "(?i)(a|A)*c", "(a*b*)*$", "(?:a*){1,5}$", "(a*){9}$", "(a+){10}$", "(a+){5}$",
        "((a{1,3}){1,3}){1,3}$", "((a{0,9}){0,9}){0,9}$", "(?=(a+)+$)", "(?!(a+)+$)", "((a+)b?)*c", "(a+|b+)*c",
        "((a|b)+)*c", "([^,]*,?)*;", #"(\S+ ?)+:$"#, #"(?:\w{1,20} ?){1,20}$"#, #"(?:(\w+) ?){1,5}$"#,
        #"(\w+[-.]?)+@"#, #"(.|\s)*x"#, #"(a)(\1+)+$"#, "(a+)+b", #"(a+)+\s*$"#, "(a(?=(b|b)*c))*$", "(a|aa)+$",
        "(?:(?:a|b)|(?:b|c))*d", "(?:é|.)*x", #"(\w*\d*)*$"#, #"(\w{3,5} ?)*$"#, "((a?)*b)*c", "((a*)*b)*c",
        "((|)b)*c", "(a(|)b)*c", "((a|)*b)*c", "((|b)*b)*c", "((a*)?b)*c", "((a+)*b)*c", "((a?){1,3}b)*c", "((?:)*b)*c",
        "(((?=b)|)b)*c", "((a?)+b)*c", "((a?)+?b)*c", "((|a)+b)*c", "((a?b?)+c)*d", "((a|a)*b)*", "((a|a)*b)+",
        "(a+){90,}", "((a+)+|x)y", "(?:(a+)+$|x)*", "(a+)+(?=b)", "(a+)+(?!)", "(?:a|b|(?:c+)+)*d", "((a+)+b)?",
        "(x(a+)+)*y", "(x(a+)+){2}", "((a{1,3}){2}b)*c", "((a|aa)+)++$", "((a|aa)+)*+$", "((a|aa)+)?+$",
        "(?:(a+)+){2}+$", "(?:(?:a|a)?+)+$", "(?:(?:a|aa){9}+)+$", "(?:(?:ab?)++)+$", "(?:(?:aa)?+a)*$",
        "(?:(?:ab){1,3}+)*$", "(?:é{1,3}+)*$", "(?:[ab]|b[ab]b(?:b){2}+)+!",
        "(?:b|(?:a{0,2}+)++)+!", "(?:(?:a?+){0,2})+!", "(?:(?:(?>a)b){0,2})+!", #"^\s*(?:-\s+.*\n)*$"#
    ]

    /// Similar patterns measured to be fast, or to take polynomial time.
    static let harmless = [
        #"(\w+\s+)*$"#, "(?:a+)+", "(a+)+", "(a*)*", "(a|a)+b?", "(a++)+$", "(?>a+)+$", "(?>(a+)+)$", "((?>a+))*$",
        "(?>(a|aa)+)$", "(?:(?>(a|aa)+))+$", "((?>a|ab)b?)*$", "(?:a?)+$", "(|a)+$", "(a?)*$", "(a|)*$", "(a??)*$",
        "(ab?)*$", #"(\w+[-.])+@"#, "(a|b)*c", "(a.)*c", #"(.|\n)*x"#, #"(a)\1*$"#, ".*.*.*x", "a*a*a*a*$",
        "(a+){2}$", "(a+){3}$", "(a{1,5}){1,5}$", "(a?){5}$", "(a?){9}$", "((a{2}){3})*c",
        "([0-9a-f]{32} ?)*$", "(a+)+(b|)", "(a+)+|x", "(a+)+b*", "(a+)+?b*", "(a+){3,}",
        "(?:a|b|(?:c+)+)*", "(?=(a+)+)b", "(?:(?=a|a)a)+$", "(?:(?!b|b)a)+$", "(?:(?=(a|a))a)+$", #"(["']).*?\1$"#,
        "(?:(?:ab)++c?)*$", "(?:a?+b)*$", "(?:(?:ab)*+)*$", "(?:a{1,3}+)*$", "(?:a?+a)*$", "(?:(?:a++b)++)+$"
    ]

    /// Typical patterns of bot scripts.
    static let usual = [
        #"(?:choose|pick)(?<between> between)? (?:from |one of )?(?<choices>\S.*)$"#,
        "(?:flip|toss|throw) (?:(?:a |the )?coin|(?<number>[0-9]+) coins?)[?!.]*$",
        "(?:convert|(?<exchange>exchange)|calc|calculate|math)(?: me)? (?<words>.+)$", "define (?<word>.+)$", "ping$",
        #"uptime\??$"#, #"echo\s+(.+)$"#, #"roll(?: me)?(?: (?:a |the )?(?<dice>[^\s?][^?]*))?\??$"#,
        #"(?:magic )?8[ \-]?ball(?:[:,]? (?<question>\S.*))?$"#,
        #"github subscribe (?<repository>\S+)(?: here| in (?<room>\S+))?$"#, "hn top(?: (?<count>-?[0-9]+))?$",
        #"help(?:\s+(\S.*))?$"#, #"ignore @?(?<name>\S.*)$"#, #"(?:listen to|unignore|stop ignoring) @?(?<name>\S.*)$"#,
        #"who(?:m)? do you ignore\?*$"#, #"(?:mo?u)?sta(?:s|c)he?(?: me)? (?<words>.+)$"#,
        "(?:(?<basemap>satellite|terrain|hybrid)[- ])?map me (?<place>.+)$", #"who(?: is|'s|’s) @?(?<name>[^?]+)\?*$"#,
        #"@?(?<name>[^\s?:,#]+(?: [^\s?:,#]+){0,2}) is (?<isNot>not )?(?<what>[^?]+)$"#, #"\S\+\+(?:[\s.,!?;:]|$)"#,
        #"\S--(?:[\s.,!?;:]|$)"#, #"(?<end>top|bottom)(?: (?<number>[0-9]+))?\??$"#,
        #"erase (?<n>["“(][^"”)]+["”)]|\S+)(?: (?:for|because(?: of)?|as|thanks to) (?<reason>\S.*))?$"#,
        "pug bomb(?: (?<count>[0-9]+))?$",
        #"remember (?:that (?<who>[^\s:][^:]{0,99}?) said:?|(?<name>[^\s:][^:]{0,99}):) (?<words>\S[\s\S]*)$"#,
        "forget quote #?(?<number>[0-9]+)$",
        #"\b(?:[a-z0-9][a-z0-9_-]{0,38}\/[a-z0-9._-]{1,100})#[0-9]{1,9}\b"#,
        #"(?!who )@?(?<name>\S.*?) has (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$"#,
        #"@?(?<name>\S.*?) (?:doesn['’]t|does not) have (?:(?:the|an?) )?(?<role>[\w-]{1,40}) role$"#,
        #"what roles? (?:do|does) @?(?<name>\S.*?) have\?*$"#,
        #"(?:what are )?the (?:three |3 )?(?:rules|laws)\b"#, #"say in (?<room>\S+)\s+(?<text>.+)$"#,
        #"\bship(?:ping|z|s|ped)?\s*it\b"#, #"show storage(?: (?<name>\S+))?(?: (?<key>\S.*))?$"#,
        #"flip (?!(?:a |the )?coin[?!.]*$|[0-9]+ coins?[?!.]*$)(?<words>\S.*)$"#, #"\bhttps?:\/\/\S+"#,
        "translate(?: me)?(?: from (?<source>[a-z-]+))?(?: (?:in)?to (?<target>[a-z-]+))? (?<text>.+)$",
        "weather(?: in| for)? (?!(?:in|for)$)(?<place>.+)$", "xkcd(?: (?<which>latest|random|-?[0-9]+))?$",
        "[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", "([0-9.]+) ?([km]?b)?", "(?i)hello(?: there)?[,!. ]*$",
        #"(?:\d{1,3}\.){3}\d{1,3}"#, #"(\w+)(?:, (\w+))*$"#, #"deploy (\S+)(?: to (\w+))?(?: @(\w+))*$"#,
        #"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"#, #"#([0-9a-f]{3}){1,2}\b"#, #"(?:[01]?\d|2[0-3]):[0-5]\d(?: ?[ap]m)?"#,
        #"remind me in (\d+) (second|minute|hour|day)s? to (.+)$"#, "(?:ha){2,}", "(?:lol|rofl|lmao)+!*$",
        #""(?:[^"\\]|\\.)*""#, #"'(?:[^'\\]+|\\.)*'"#.replacing("+", with: "++"), #"^\s*(?:- .*\n)*$"#,
        #"(?:[a-z]+-)*[a-z]+$"#, #"(\d+)d(\d+)(?:\s*[+-]\s*\d+)*$"#, "(?:[^,]+,)*[^,]+$", #"(?:\w+ )*\w+\?$"#,
        "(?:https?|ftp)://[^/ ]+(?:/[^/ ]*)*", #"(?:(?:thanks|thank you|cheers),? )+bot$"#,
        "(?:[0-9a-f]{2}:){5}[0-9a-f]{2}",
        #"<(\w+)(?: \w+="[^"]*")*>"#, #"(?:\([^)]*\)|[^()])*$"#, #"(?:👍\s*)+$"#, #"(?:\w+\s*[—-]\s*)*$"#,
        "o+h+ (?:no+ ?!)*$"
    ]

    @Test(arguments: dangerous)
    func `an exponential pattern is reported, with a text that is matched in two ways`(_ text: String) throws {
        let backtrackingRisk = try #require(TestRegexParser.tree(text).backtrackingRisk())
        let part = TestRegexParser.tree(backtrackingRisk.part)
        let hasCount = text.contains("{")
        let once = MatchCounter(backtrackingRisk.example).waysToRepeat(part, hasCount: hasCount)
        let often = MatchCounter(String(repeating: backtrackingRisk.example, count: 4)).waysToRepeat(
            part, hasCount: hasCount)
        #expect(once >= 2, "\(backtrackingRisk)")
        #expect(often >= 16, "\(backtrackingRisk)")
    }

    @Test(arguments: harmless + usual)
    func `a harmless pattern passes`(_ text: String) {
        #expect(TestRegexParser.tree(text).backtrackingRisk() == nil)
    }

    /// Harmless patterns that are reported nevertheless.
    @Test(arguments: [
        // Whether an assertion always or never holds isn't checked.
        #"(\ba+)+$"#, "(^a+)+$", #"(a+\b)+$"#, "(a+$)+b", #"((\b|)b)*c"#,
        // A possessive repetition is assumed to backtrack if its part matches in more than one way.
        "(a+)++$", "(?:(a+)+){1,2}+$", "(?:(a+)++)+$",
        // The non-ASCII characters of a class aren't known.
        "(?:👍|🎉)+$", #"(?:\w+—)*$"#,
        // Few characters may be left for trying all ways.
        "(a+){12}", "(a+){4}$", "(a|a){10}$", "((a+)+){2}",
        // A count too big to be written out is as good as none.
        "(?:(?:ab){500})*x"
    ])
    func `known false positives are reported`(_ text: String) {
        #expect(TestRegexParser.tree(text).backtrackingRisk() != nil)
    }

    @Test(arguments: [
        ("(a+)+$", "a+", "aa"), ("x(foo|(?:[a-z]+,?)+ )*$", "[a-z]+,?", "aa"), (#"(\w+\s?)*$"#, #"\w+\s?"#, "aa"),
        ("(a|ab|b)*c", "a|ab|b", "ab"), ("(.*,)*$", ".*,", ",,"), (#"(\d+|\w+)*$"#, #"\d+|\w+"#, "1"),
        (#"(\s|[ \n]x?)*y"#, #"\s|[\n ]x?"#, " "), ("([\u{1}x]|\u{1})*y", #"[\u{1}x]|\u{1}"#, "\u{1}"),
        ("((?>x+)[^a]?-?)*y", "(?>x+)[^a]?-?", "x-"), ("((?>|x*|y))(?:(?>|x*|y)a+b?)+z", "(?>|x*|y)a+b?", "aa"),
        ("(?:(?>|[xy]{2,}|c){1,2}b)*z", "(?>|[xy]{2,}|c){1,2}b", "b"),
        ("(\\W|[é,])*y", #"\W|[,é]"#, ",")
    ])
    func `the innermost part and a readable text are reported`(_ text: String, _ part: String, _ example: String) throws
    {
        let backtrackingRisk = try #require(TestRegexParser.tree(text).backtrackingRisk())
        #expect(backtrackingRisk.part == part)
        #expect(backtrackingRisk.example == example)
    }

    @Test func `a repetition that is too big passes, but repetitions in it are checked`() {
        let words = (0..<900).map { "word\($0)" }.joined(separator: "|")
        #expect(TestRegexParser.tree("(?:\(words)|word1)*x").backtrackingRisk() == nil)
        #expect(TestRegexParser.tree("(?:\(words)|(a+)+b)*x").backtrackingRisk()?.part == "a+")
        let fewer = (100..<200).map { "word\($0)" }.joined(separator: "|")
        #expect(TestRegexParser.tree("(?:\(fewer)|(a+)+b)*x").backtrackingRisk()?.part == "a+")
        #expect(TestRegexParser.tree("(?:\(words))(a+)+b").backtrackingRisk()?.part == "a+")
    }

    @Test func `the work is limited for hostile trees`() {
        let letters = (0..<200).map { _ in "a" }.joined(separator: "|")
        var stars = TestRegexParser.tree(letters)
        var counts = TestRegexParser.tree("a")
        var empties = RegexAST.alternatives(Array(repeating: .sequence([.empty, .empty]), count: 20_000))
        for _ in 0..<60 {
            stars = .repetition(stars, least: 0, most: nil, .eager)
            counts = .repetition(counts, least: 9, most: 9, .eager)
            empties = .repetition(empties, least: 1, most: 3, .eager)
        }
        let end = TestRegexParser.tree("x")
        #expect(RegexAST.sequence([stars, end]).backtrackingRisk() != nil)
        #expect(RegexAST.sequence([.repetition(empties, least: 0, most: nil, .eager), end]).backtrackingRisk() == nil)
        // A count too big to be written out is as good as none.
        #expect(RegexAST.sequence([.repetition(counts, least: 0, most: nil, .eager), end]).backtrackingRisk() != nil)
        let huge = RegexAST.repetition(TestRegexParser.tree("a?b"), least: .max, most: .max, .eager)
        #expect(RegexAST.sequence([.repetition(huge, least: 0, most: nil, .eager), end]).backtrackingRisk() != nil)
    }

    @Test(arguments: [
        "a{2,}?(?:b|c|)x", #"[^ab]*(?:\d\w\s\S)+"#, #"(?:a(?=b|c)(?!d)(?>e|f))*\b\.[\-a-f]"#, "^(?:a|b{2,5}+)?$",
        "(?:ab)*(?:)[é]"
    ])
    func `a tree is printed as a pattern`(_ text: String) {
        #expect(TestRegexParser.tree(text).patternText == text)
    }

    @Test func `the description names the part and the text`() {
        let backtrackingRisk = TestRegexParser.tree(#"(\s+\n?)+x"#).backtrackingRisk()
        #expect(backtrackingRisk?.description == #"repeating `\s+\n?` can match "  " in more than one way"#)
    }
}
