/// The files of a bot that `heybot new` creates.
struct BotTemplate {
    /// The location of the package Heybot.
    enum PackageLocation: Equatable {
        /// A directory, relative to the bot's: an absolute path would be wrong on other machines.
        case folder(String)
        case url(String)

        var text: String {
            switch self {
            case .folder(let text), .url(let text): text
            }
        }
    }

    struct File {
        let path: String
        let text: String
        var isExecutable = false
    }

    let name: String
    let heybot: PackageLocation
    /// Whether the bot is a Swift package with a test.
    ///
    /// Otherwise the package is in a hidden directory.
    let isPackage: Bool

    var files: [File] {
        let common = [
            File(path: "heybot.json", text: settings),
            File(path: "Scripts/Hello.swift", text: script),
            File(path: "bin/heybot", text: launcher, isExecutable: true),
            File(path: "Procfile", text: procfile),
            File(path: "Dockerfile", text: dockerfile),
            File(path: ".dockerignore", text: ".build\n.heybot/.build\n.git\ndata\n"),
            File(path: ".gitignore", text: ".build/\ndata/\n"),
            File(path: "README.md", text: readme),
            File(path: prefix + "Package.swift", text: manifest),
            File(path: prefix + "Sources/Bot/main.swift", text: main)
        ]
        guard isPackage else { return common }
        return common + [
            File(path: "Tests/BotTests/HelloTests.swift", text: test),
            File(path: "bin/test", text: testCommand, isExecutable: true)
        ]
    }

    /// The package's directory.
    private var prefix: String { isPackage ? "" : ".heybot/" }

    /// Plain JSON, which every editor supports.
    private var settings: String {
        """
        {
          "name": "\(name)",
          "data": "data"
        }

        """
    }

    private var procfile: String {
        """
        # shell needs a terminal: replace it with the bot's network, such as irc.
        app: bin/heybot -a shell

        """
    }

    private var script: String {
        """
        public import Heybot

        /// Greets.
        public struct Hello: Script {
            public init() {}

            public func register(on robot: inout RobotBuilder) {
                robot.respond(/hello$/, help: "hello - Say hello", example: "hello") { res in
                    try await res.reply("Hello, I'm \\(res.robot.name).")
                }
            }
        }

        """
    }

    private var test: String {
        """
        import HeybotTesting
        import Scripts
        import Testing

        @Suite struct HelloTests {
            let robot = TestRobot(name: "\(name)", Hello())

            @Test func `it greets`() async {
                let said = await robot.hears("\(name) hello")
                #expect(said == [.reply("Hello, I'm \(name).")])
            }

            @Test func `its examples work`() {
                #expect(robot.brokenExamples() == [])
            }
        }

        """
    }

    private var main: String {
        """
        import HeybotCommand
        import Scripts
        import StandardScripts

        // The command heybot, with the standard scripts and the scripts of this bot.
        await Command.main(scripts: standardScripts + scripts)

        """
    }

    private var manifest: String {
        // Each part of the bot enables the part of Heybot.
        let traits = "traits: Set(parts.map { .trait(name: $0, condition: .when(traits: [$0])) })"
        let dependency =
            switch heybot {
            case .folder(let path):
                """
                .package(
                            name: "heybot", path: Context.environment["HEYBOT_SOURCES"] ?? "\(isPackage ? path : "../" + path)",
                            \(traits))
                """
            case .url(let url):
                """
                .package(
                            url: "\(url)", branch: "main",
                            \(traits))
                """
            }
        let tests = """
            ,
                    .testTarget(
                        name: "BotTests",
                        dependencies: ["Scripts", .product(name: "HeybotTesting", package: "\(identity)")])
            """
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            // The parts of Heybot that this bot has: AllParts, or a list of those that it needs: IRC, XMPP, Campfire, Redis,
            // WebServer, Hubot, Music. For a chat in the terminal, bin/heybot builds none of them.
            let parts = ["AllParts"]

            let package = Package(
                name: "\(name)",
                platforms: [.macOS(.v15)],
                traits: Set(parts.map { .trait(name: $0) } + [.default(enabledTraits: Set(parts))]),
                dependencies: [
                    // Heybot\(isFolder ? ", relative to this directory; HEYBOT_SOURCES overrides it" : "; Package.resolved pins its commit").
                    \(dependency)
                ],
                targets: [
                    // Every Swift file in Scripts/ is a script, named after its type.
                    .target(
                        name: "Scripts", dependencies: [.product(name: "Heybot", package: "\(identity)")], path: "Scripts",
                        plugins: [.plugin(name: "ScriptCatalog", package: "\(identity)")]),
                    .executableTarget(
                        name: "Bot",
                        dependencies: [
                            "Scripts",
                            .product(name: "HeybotCommand", package: "\(identity)"),
                            .product(name: "StandardScripts", package: "\(identity)")
                        ])\(isPackage ? tests : "")
                ]
            )

            """
    }

    /// A valid name of a Docker image.
    private var image: String {
        let name = String(name.lowercased().filter { $0.isASCII })
        return name.first?.isLetter == true || name.first?.isNumber == true ? name : "bot"
    }

    /// SwiftPM's identity of Heybot's package.
    private var identity: String { checkout.lowercased() }

    /// The name of the directory into which SwiftPM clones Heybot.
    private var checkout: String {
        guard case .url(let url) = heybot, let last = url.split(whereSeparator: { "/:".contains($0) }).last else {
            return "heybot"
        }
        return String(last.hasSuffix(".git") ? last.dropLast(4) : last)
    }

    private var isFolder: Bool {
        if case .folder = heybot { true } else { false }
    }

    private var launcher: String {
        """
        #!/usr/bin/env bash
        # Runs this bot with the arguments given; builds it first if it isn't built yet or has changed.
        set -euo pipefail

        root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
        package=$root\(isPackage ? "" : "/.heybot")
        \(findHeybot)
        export HEYBOT_CONFIG=${HEYBOT_CONFIG:-$root/heybot.json}
        . "$heybot/bin/run.bash"
        run "$package" Bot "$scratch" "$root/bin/heybot" "$root/Scripts" Package.swift Sources\(watched) -- "$@"

        """
    }

    private var testCommand: String {
        """
        #!/usr/bin/env bash
        # Runs this bot's tests, with arguments for swift test, such as --filter Hello.
        set -euo pipefail

        package=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
        root=$package
        \(findHeybot)
        . "$heybot/bin/run.bash"
        run_tests "$package" "$scratch" "$@"

        """
    }

    /// The lines of a script that find Heybot's directory and the build directory.
    private var findHeybot: String {
        switch heybot {
        case .folder(let path):
            """
            heybot=${HEYBOT_SOURCES:-$root/\(path)}
            if ! [ -e "$heybot/bin/run.bash" ]; then
                echo "heybot: Heybot's sources aren't at $heybot: put them there, or set HEYBOT_SOURCES to their directory" >&2
                exit 69
            fi
            heybot=$(cd "$heybot" && pwd)
            # Heybot's own build directory, so that only the bot is compiled.
            scratch=$heybot/.build
            """
        case .url:
            """
            scratch=$package/.build
            heybot=$scratch/checkouts/\(checkout)
            [ -e "$heybot/bin/run.bash" ] || swift package --package-path "$package" resolve >&2
            """
        }
    }

    /// The paths of Heybot's sources, for a script.
    private var watched: String {
        isFolder ? ["Package.swift", "Sources", "Scripts", "Plugins"].map { " \"$heybot/\($0)\"" }.joined() : ""
    }

    private var dockerfile: String {
        let (build, copy) =
            switch heybot {
            case .folder(let path):
                (
                    "docker build --build-context heybot='\(path)' -t \(image) .",
                    "# Heybot's sources.\nCOPY --from=heybot . /heybot\nENV HEYBOT_SOURCES=/heybot\n"
                )
            case .url: ("docker build -t \(image) .", "")
            }
        return """
            # \(name) in a container: \(build) && docker run -it -v \(image):/data \(image)

            FROM swift:6.3-bookworm AS build
            RUN apt-get update && apt-get install -y --no-install-recommends libcurl4-openssl-dev libexpat1-dev libgmp-dev libhiredis-dev libsqlite3-dev libssl-dev && rm -rf /var/lib/apt/lists/*
            \(copy)WORKDIR /src
            COPY . .
            RUN bin/heybot --version && install -D -s \(prefix).build/run/whole /app/bin/heybot

            FROM debian:bookworm-slim
            RUN apt-get update \\
                && apt-get install -y --no-install-recommends \\
                    ca-certificates libcurl4 libexpat1 libgcc-s1 libgmp10 libhiredis0.14 libsqlite3-0 tzdata \\
                && rm -rf /var/lib/apt/lists/* \\
                && groupadd --gid 10001 heybot \\
                && useradd --uid 10001 --gid heybot --home-dir /data --no-create-home --no-log-init heybot \\
                && install -d -m 700 -o heybot -g heybot /data
            COPY --from=build /app /app
            COPY heybot.json /app/
            ENV HEYBOT_DATA=/data
            USER 10001:10001
            WORKDIR /app
            VOLUME /data
            HEALTHCHECK --interval=30s --timeout=15s --start-period=60s CMD ["bin/heybot", "health"]
            ENTRYPOINT ["bin/heybot"]

            """
    }

    private var readme: String {
        let test = isPackage ? "\n    bin/test              runs the tests" : ""
        return """
            # \(name)

            A chat bot, built with Heybot.

                bin/heybot            builds the bot if anything has changed, and starts a chat\(test)

            | file | what it is |
            |---|---|
            | `Scripts/` | scripts in addition to the standard ones: a Swift file each, named after its type |
            | `heybot.json` | settings; `bin/heybot settings` lists all |
            | `data/` | the brain; paths in heybot.json are relative to that file |
            | `Procfile`, `Dockerfile` | for deployment |
            | `\(prefix)Package.resolved` | the versions of dependencies, after the first build: keep it in Git |
            \(isPackage ? "| `Tests/` | tests of the scripts |\n" : "")
            \(sourcesNote)
            """
    }

    /// Where Heybot's sources must be.
    private var sourcesNote: String {
        switch heybot {
        case .folder(let path):
            """
            To build it, Heybot's sources must be at `\(path)`, relative to this directory, or at `HEYBOT_SOURCES`.
            `heybot new --heybot URL` creates a bot that gets them from Git.

            """
        case .url(let url):
            "Heybot comes from \(url); `swift package update` updates it.\n"
        }
    }
}
