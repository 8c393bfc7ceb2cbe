import Foundation
import Testing

/// The cases of github.com/ircdocs/parser-tests, read from `parser-tests`.
enum TestVectors {
    struct Atoms: Decodable, Sendable {
        var tags: [String: String]?
        var source: String?
        var verb: String
        var params: [String]?
    }

    struct Split: Decodable, Sendable, CustomTestStringConvertible {
        var input: String
        var atoms: Atoms
        var testDescription: String { input }
    }

    struct Join: Decodable, Sendable, CustomTestStringConvertible {
        var desc: String
        var atoms: Atoms
        var matches: [String]
        var testDescription: String { desc }
    }

    struct MaskMatch: Decodable, Sendable, CustomTestStringConvertible {
        var mask: String
        var matches: [String]
        var fails: [String]
        var testDescription: String { mask }
    }

    struct UserhostSplit: Decodable, Sendable, CustomTestStringConvertible {
        struct Atoms: Decodable, Sendable {
            var nick: String
            var user: String?
            var host: String?
        }

        var source: String
        var atoms: Atoms
        var testDescription: String { source }
    }

    struct HostnameValidity: Decodable, Sendable, CustomTestStringConvertible {
        var host: String
        var valid: Bool
        var testDescription: String { host }
    }

    private struct File<Case: Decodable>: Decodable {
        var tests: [Case]
    }

    /// All cases of a file.
    static func cases<Case: Decodable>(_ name: String, of type: Case.Type) throws -> [Case] {
        let url = Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "parser-tests")
        return try JSONDecoder().decode(File<Case>.self, from: Data(contentsOf: #require(url))).tests
    }
}
