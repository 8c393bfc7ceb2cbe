import Foundation
import Heybot
import HeybotSupport
import Testing

@testable import StandardScripts

/// apps.json, and what users type.
@Suite struct DeployAppsTests {
    private static func apps(_ json: String) throws -> DeployApps { try DeployApps(Data(json.utf8)) }

    @Test func `an environment has its app's fields, unless it has its own`() throws {
        let apps = try Self.apps(DeployBench.apps)
        #expect(apps.apps.map(\.name) == ["forum", "shop", "wiki"])
        #expect(apps.environments == ["demo", "live", "production", "staging"])
        #expect(apps.hasWebhooks)
        let shop = try apps.app(named: "SHOP")
        let staging = try shop.environment(named: "stg")
        #expect(staging.name == "staging" && staging.target == .github(repository: "ada/shop"))
        #expect(staging.roles == nil && staging.rooms == nil && staging.requiredContexts == nil)
        #expect(staging.autoMerge && !staging.confirms && !staging.isProduction && staging.approval == nil)
        let production = try shop.environment(named: "Prod")
        #expect(production.roles == ["releaser"] && production.confirms && production.isProduction)
        #expect(production.approval == .by("ops", within: .minutes(15)))
        #expect(production.requiredContexts == ["ci/build"])
        let demo = try shop.environment(named: "demo")
        #expect(demo.roles == [] && demo.rooms == ["#ops"] && !demo.autoMerge)
        #expect(throws: Refusal("shop has no environment moon. It has staging, production, demo.")) {
            try shop.environment(named: "moon")
        }
        #expect(throws: Refusal("web? Never heard of it. I know forum, shop, wiki.")) { try apps.app(named: "web") }
    }

    @Test func `a file of hubot-deploy is read as it is`() throws {
        let app = try #require(
            try Self.apps(
                """
                {"dotcom": {"provider": "capistrano", "repository": "MyOrg/www", "required_contexts": ["ci/janky"],
                  "environments": ["production", {"name": "staging", "transient": true, "provider_env_name": "x"}],
                  "github_api": "https://git.example.org/api/v3", "github_token": "s3cret", "allowed_rooms": ["danger"]}}
                """
            ).apps.first)
        #expect(app.api == "https://git.example.org/api/v3" && app.token == "s3cret")
        #expect(app.environments.map(\.isTransient) == [false, true])
        // Deployment systems get all but the secrets.
        #expect(app.configuration["provider"] == .string("capistrano"))
        #expect(app.configuration["environments"].elements.last?["provider_env_name"] == .string("x"))
        #expect(app.configuration["github_token"] == .null && app.configuration["github_api"] == .null)
        #expect(try Self.apps(#"{"a": {"repository": "b/c"}}"#).apps.first?.environments.map(\.name) == ["production"])
    }

    @Test func `secrets of environments aren't passed on either`() throws {
        let app = try #require(
            try Self.apps(
                """
                {"a": {"repository": "b/c", "environments": ["x", {"name": "y", "command": ["deploy"]}, {"name": "z",
                  "webhook": {"url": "https://example.org/", "secret": "0123456789abcdef"}}]}}
                """
            ).apps.first)
        let text = String(decoding: try JSONEncoder().encode(app.configuration), as: UTF8.self)
        #expect(!text.contains("0123456789abcdef") && !text.contains("command"), "\(text)")
    }

    @Test(arguments: [
        ("[]", "it isn't valid JSON, or isn't an object with an entry for each app"),
        ("{", "it isn't valid JSON, or isn't an object with an entry for each app"),
        (#"{"a": 1}"#, "a: an app must be an object"),
        (#"{"a b": {}}"#, #"a b: the name of an app must consist of letters, digits, ".", "_" and "-""#),
        (#"{"a": {}}"#, "a/production: there must be a repository, a webhook or a command"),
        (#"{"a": {"repository": "b"}}"#, "a/production: repository must be owner/name"),
        (#"{"a": {"repository": "b/*"}}"#, "a/production: repository must be owner/name"),
        (#"{"a": {"repository": 1}}"#, "a/production: repository must be a text of at most 2000 bytes"),
        (
            #"{"a": {"repository": "b/c", "environments": [1]}}"#,
            "a: environments must be a list of names, or of objects with a name"
        ),
        (
            #"{"a": {"repository": "b/c", "environments": ["x", "X"]}}"#, "a: there are two environments named X"
        ),
        (#"{"a": {"repository": "b/c", "auto_merge": "no"}}"#, "a/production: auto_merge must be true or false"),
        (#"{"a": {"repository": "b/c", "timeout": 0}}"#, "a/production: timeout must be a number from 1 to 1440"),
        (
            #"{"a": {"repository": "b/c", "approve": {"minutes": 5}}}"#,
            "a/production: approve must be a role, or an object with a role and minutes"
        ),
        (#"{"a": {"repository": "b/c", "role": []}}"#, #"a/production: role must name a role, or "everyone""#),
        (#"{"a": {"command": []}}"#, "a/production: command must be a program and its arguments"),
        (#"{"a": {"command": "x", "webhook": {}}}"#, "a/production: there are a webhook and a command: keep one"),
        (
            #"{"a": {"webhook": {"url": "ftp://x", "secret": "0123456789abcdef"}}}"#,
            "a/production webhook: url must be an http or https URL"
        ),
        (
            #"{"a": {"webhook": {"url": "https://x", "secret": "short"}}}"#,
            "a/production webhook: secret must have at least 16 characters"
        ),
        (
            #"{"a": {"command": "x", "required_contexts": ["ci"]}}"#,
            #"a/production: required_contexts needs GitHub's deployments; here, write "required_contexts": []"#
        ),
        (#"{"a": {"repository": "b/c", "branch": "-x"}}"#, "a: branch isn't the name of a branch")
    ])
    func `an error says where it is, and what to write`(_ json: String, _ problem: String) {
        do {
            _ = try Self.apps(json)
            Issue.record("the file was accepted")
        } catch {
            #expect("\(error)" == problem)
        }
    }

    @Test(arguments: [
        "-rf", "--upload-pack=x", "/etc", "a/", "a..b", "a//b", "$(reboot)", "a;b", "a b", "`id`", "a\u{0}", "ä", "",
        String(repeating: "x", count: 201)
    ])
    func `a ref that could be more than a ref is refused`(_ ref: String) {
        #expect(throws: Refusal.self) { try DeployOrder(app: "shop", ref: ref[...]) }
        if !ref.isEmpty, ref.first == "-" || ref.contains(where: { !$0.isASCII || "$;` \0".contains($0) }) {
            #expect(throws: Refusal.self) { try DeployOrder(app: "shop", hosts: ref[...]) }
        }
    }

    @Test(arguments: ["main", "v1.2.0", "ada/fix-#12", "release/2026.11", "dependabot/npm/@types/node-20+1"])
    func `ordinary refs are accepted`(_ ref: String) throws {
        #expect(try DeployOrder(app: "shop", ref: ref[...], task: ":Migrate").task == "deploy:migrate")
    }
}

/// What GitHub's errors mean for users.
@Suite struct GitHubErrorTests {
    private static func reason(
        _ status: Int, _ body: String, _ headers: HTTPHeaders = [:], requiring: [String]? = nil
    ) -> String {
        let response = HTTPResponse(
            url: "https://api.github.com/x", status: status, headers: headers, body: Array(body.utf8))
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        return GitHubError(response, repository: "ada/shop", at: date).reason(requiring: requiring)
    }

    @Test func `each error says what to do`() {
        #expect(Self.reason(401, #"{"message": "Bad credentials"}"#).hasPrefix("GitHub doesn't accept my token"))
        #expect(
            Self.reason(403, #"{"message": "Resource not accessible by personal access token"}"#)
                == "GitHub says: Resource not accessible by personal access token. My token needs the right to create deployments in ada/shop."
        )
        #expect(Self.reason(404, "").hasPrefix("GitHub shows me no ada/shop: "))
        #expect(
            Self.reason(409, #"{"message": "Conflict merging main into topic"}"#)
                == "GitHub says: Conflict merging main into topic. Merge it yourself, or write \"auto_merge\": false in apps.json."
        )
        #expect(
            Self.reason(
                422, #"{"message": "Validation Failed", "errors": [{"message": "No ref found for: x"}, 7, "more"]}"#)
                == "GitHub says: Validation Failed No ref found for: x more.")
        #expect(Self.reason(500, "<html>") == "GitHub has a problem (status 500).")
    }

    @Test(arguments: [409, 422]) func `checks that haven't passed are named`(_ status: Int) {
        let body = """
            {"message": "Conflict: Commit status checks failed for topic.", "errors": [{"contexts": [
              {"context": "ci/build", "state": "pending"}, {"context": "lint", "state": "success"}, {"context": 1}],
              "resource": "Deployment", "field": "required_contexts", "code": "invalid"}]}
            """
        #expect(
            Self.reason(status, body, requiring: ["ci/build", "security"])
                == "These checks haven't passed: ci/build (pending), security (missing). Wait until they have, or deploy in spite of them with \"deploy!\"."
        )
        let bare = #"{"message": "Conflict: Commit status checks failed for topic."}"#
        #expect(Self.reason(status, bare).hasPrefix("Required checks haven't passed. "))
    }

    @Test(
        arguments: [
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000600"], "", "08:10"),
            (429, ["Retry-After": "60"], "", "08:01"), (429, [:], "", "08:01"),
            (403, [:], "You have exceeded a secondary rate limit.", "08:01"),
            (403, ["Retry-After": "999999999"], "", "09:00"), (429, ["Retry-After": "-9"], "", "08:00"),
            (403, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"], "", "08:01")
        ] as [(Int, HTTPHeaders, String, String)])
    func `a limit has an end`(_ status: Int, _ headers: HTTPHeaders, _ message: String, _ time: String) {
        #expect(
            Self.reason(status, #"{"message": "\#(message)"}"#, headers)
                == "GitHub is limiting my requests until 2027-01-15 \(time) UTC. Ask me again then.")
    }
}
