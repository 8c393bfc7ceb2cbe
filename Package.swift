// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault")
]

// Dependencies of parts that a build may leave out.
let network = TargetDependencyCondition.when(traits: ["AllParts", "IRC", "XMPP", "Redis", "WebServer", "Music"])
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio", condition: network)
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio", condition: network)
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl", condition: network)
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio", condition: network)

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

// On Linux hiredis is in the standard directories, and SwiftPM warns about a flag in its pkg-config file.
#if os(macOS)
    let hiredis: String? = "hiredis"
#else
    let hiredis: String? = nil
#endif

let package = Package(
    name: "heybot",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "heybot", targets: ["heybot-main"]),
        .library(name: "Heybot", targets: ["Heybot"]),
        .library(name: "HeybotTesting", targets: ["HeybotTesting"]),
        .library(name: "HeybotCommand", targets: ["HeybotCommand"]),
        .library(name: "CampfireAdapter", targets: ["CampfireAdapter"]),
        .library(name: "CurlClient", targets: ["CurlClient"]),
        .library(name: "IRCAdapter", targets: ["IRCAdapter"]),
        .library(name: "ShellAdapter", targets: ["ShellAdapter"]),
        .library(name: "RedisStore", targets: ["RedisStore"]),
        .library(name: "SQLiteStore", targets: ["SQLiteStore"]),
        .library(name: "StandardScripts", targets: ["StandardScripts"]),
        .library(name: "HeybotWebServer", targets: ["HeybotWebServer"]),
        .library(name: "XMPPAdapter", targets: ["XMPPAdapter"]),
        .plugin(name: "ScriptCatalog", targets: ["ScriptCatalog"])
    ],
    // A default of several traits would be passed to the compiler in random order, and everything compiled again each time.
    traits: [
        .trait(name: "AllParts", description: "All parts of the command line."),
        .trait(name: "IRC", description: "The adapter for IRC."),
        .trait(name: "XMPP", description: "The adapter for XMPP."),
        .trait(name: "Campfire", description: "The adapter for Campfire."),
        .trait(name: "Redis", description: "The store in Redis."),
        .trait(name: "WebServer", description: "The web server."),
        .trait(name: "Hubot", description: "Hubot scripts, in a Node process."),
        .trait(name: "Music", description: "The connection to music players."),
        .default(enabledTraits: ["AllParts"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: [])
    ],
    targets: [
        // The robot.
        .target(
            name: "Heybot",
            dependencies: [
                "CCrash", "HeybotSupport", log, metrics,
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
            ],
            swiftSettings: settings),
        // Reports the script that crashed the process.
        .target(name: "CCrash"),
        .target(
            name: "HeybotTesting", dependencies: ["Heybot", "HeybotSupport", log, metrics], swiftSettings: settings),

        // Adapters.
        .target(name: "CTerminal"),
        .target(
            name: "ShellAdapter", dependencies: ["Heybot", "HeybotSupport", "CTerminal", log], swiftSettings: settings),

        .target(
            name: "IRCAdapter",
            dependencies: [
                "Heybot", "HeybotIRC", "NetworkAdapter", "HeybotSupport", "HeybotSockets", log, metrics
            ],
            swiftSettings: settings),
        .target(
            name: "HeybotIRC",
            dependencies: ["HeybotSupport", "HeybotSASL", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: settings),

        .target(
            name: "XMPPAdapter",
            dependencies: [
                "Heybot", "NetworkAdapter", "HeybotSupport", "HeybotSASL", "HeybotSockets", "HeybotXMPP", log, metrics
            ],
            swiftSettings: settings),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]),
        .target(
            name: "HeybotXMPP",
            dependencies: [
                "CExpat", "HeybotSupport", "HeybotSASL", .product(name: "DequeModule", package: "swift-collections")
            ],
            swiftSettings: settings),

        .target(
            name: "CampfireAdapter", dependencies: ["Heybot", "HeybotSupport", log], swiftSettings: settings),

        // Shared by adapters and stores.
        .target(
            name: "NetworkAdapter",
            dependencies: [
                "Heybot", "HeybotSupport", "HeybotSockets", log,
                .product(name: "DequeModule", package: "swift-collections")
            ],
            swiftSettings: settings),
        .target(
            name: "HeybotSupport",
            dependencies: ["CHash", "CSigning", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: settings),
        // Linked statically, because a whole libcrypto costs memory; on Apple's systems it is in the system's library.
        .target(
            name: "CHash", linkerSettings: [.linkedLibrary(":libcrypto.a", .when(platforms: [.linux]))]),
        // Loads libcrypto when it is first needed.
        .target(name: "CSigning"),
        .target(name: "HeybotSASL", dependencies: ["HeybotSupport"], swiftSettings: settings),
        .target(name: "CResolv", linkerSettings: [.linkedLibrary("resolv")]),
        .target(
            name: "HeybotSockets",
            dependencies: [
                "CResolv", "HeybotSupport",
                nioCore,
                nioPosix,
                nioSSL,
                nioTLS
            ],
            swiftSettings: settings),

        // A robot in two processes: a gateway with the connections, and workers with the scripts.
        .target(
            name: "GatewayLink",
            dependencies: [
                "Heybot", "HeybotSupport", log, .product(name: "DequeModule", package: "swift-collections")
            ],
            swiftSettings: settings),
        .target(
            name: "GatewayHost",
            dependencies: [
                "GatewayLink", "Heybot", "HeybotSupport", log,
                .product(name: "DequeModule", package: "swift-collections"),
                .product(
                    name: "Subprocess", package: "swift-subprocess",
                    condition: .when(traits: ["AllParts", "IRC", "XMPP"]))
            ],
            swiftSettings: settings),

        // Stores.
        .systemLibrary(
            name: "CHiredis", pkgConfig: hiredis, providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(
            name: "RedisStore",
            dependencies: [
                "CHiredis", "Heybot", "HeybotSockets", "HeybotSupport", log,
                .product(name: "DequeModule", package: "swift-collections")
            ],
            swiftSettings: settings),
        // A robot whose gateways and workers are on several machines.
        .target(
            name: "RedisLink",
            dependencies: [
                "GatewayHost", "GatewayLink", "Heybot", "HeybotSockets", "HeybotSupport", "RedisStore", log,
                .product(name: "DequeModule", package: "swift-collections")
            ],
            swiftSettings: settings),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
        .target(name: "SQLiteStore", dependencies: ["Heybot", "HeybotSupport", "CSQLite"], swiftSettings: settings),

        // The web.
        .target(
            name: "HeybotWebServer",
            dependencies: [
                "Heybot", "HeybotSockets", log,
                nioCore,
                .product(name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["AllParts", "WebServer"])),
                nioPosix
            ],
            swiftSettings: settings),

        .target(name: "CCurl"),
        .target(name: "CurlClient", dependencies: ["CCurl", "Heybot", log], swiftSettings: settings),

        // Calculations for scripts.
        .systemLibrary(name: "CGMP", pkgConfig: "gmp", providers: [.apt(["libgmp-dev"]), .brew(["gmp"])]),
        .target(name: "HeybotCalculation", dependencies: ["CGMP"], swiftSettings: settings),

        // Time zones, recurrences and dates in words.
        .target(name: "HeybotDates", swiftSettings: settings),

        // Feeds: RSS, Atom and JSON Feed.
        .target(name: "HeybotFeeds", dependencies: ["CExpat", "HeybotSupport"], swiftSettings: settings),

        // Makes Swift files at build time.
        .executableTarget(name: "source-generator", swiftSettings: settings),
        .plugin(name: "TextEmbedding", capability: .buildTool(), dependencies: ["source-generator"]),
        .plugin(name: "ScriptCatalog", capability: .buildTool(), dependencies: ["source-generator"]),

        // Hubot scripts, in a Node process.
        .target(
            name: "HubotHost",
            dependencies: [
                "Heybot", "HeybotSupport", log, .product(name: "DequeModule", package: "swift-collections"),
                .product(
                    name: "Subprocess", package: "swift-subprocess", condition: .when(traits: ["AllParts", "Hubot"]))
            ],
            swiftSettings: settings, plugins: ["TextEmbedding"]),

        // Music players.
        .target(
            name: "HeybotMPD", dependencies: [.product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: settings),
        .target(
            name: "MPDClient", dependencies: ["HeybotMPD", "HeybotSockets", "HeybotSupport", log],
            swiftSettings: settings),

        // Scripts. Every Swift file in Scripts/ is listed in the catalog at build time.
        .target(
            name: "StandardScripts",
            dependencies: [
                "Heybot", "HeybotCalculation", "HeybotDates", "HeybotFeeds", "HeybotMPD", "HeybotSupport", log,
                .target(name: "MPDClient", condition: .when(traits: ["AllParts", "Music"])),
                // For the commands of deploys.
                .product(
                    name: "Subprocess", package: "swift-subprocess", condition: .when(traits: ["AllParts", "Hubot"]))
            ],
            path: "Scripts",
            swiftSettings: settings, plugins: ["ScriptCatalog", "TextEmbedding"]),

        // The command line; package traits choose which parts it has.
        .executableTarget(
            name: "heybot-main", dependencies: ["HeybotCommand", "StandardScripts"], swiftSettings: settings),
        .target(
            name: "HeybotCommand",
            dependencies: [
                "CurlClient", "Heybot", "HeybotSupport", "ShellAdapter", "SQLiteStore", log, metrics,
                .target(name: "CampfireAdapter", condition: .when(traits: ["AllParts", "Campfire"])),
                .target(name: "GatewayHost", condition: .when(traits: ["AllParts", "IRC", "XMPP"])),
                .target(name: "GatewayLink", condition: .when(traits: ["AllParts", "IRC", "XMPP"])),
                .target(name: "HeybotIRC", condition: .when(traits: ["AllParts", "IRC"])),
                .target(name: "HeybotSASL", condition: .when(traits: ["AllParts", "XMPP"])),
                .target(name: "HeybotSockets", condition: network),
                .target(name: "HeybotWebServer", condition: .when(traits: ["AllParts", "WebServer"])),
                .target(name: "HeybotXMPP", condition: .when(traits: ["AllParts", "XMPP"])),
                .target(name: "HubotHost", condition: .when(traits: ["AllParts", "Hubot"])),
                .target(name: "IRCAdapter", condition: .when(traits: ["AllParts", "IRC"])),
                .target(name: "RedisLink", condition: .when(traits: ["AllParts"])),
                .target(name: "RedisStore", condition: .when(traits: ["AllParts", "Redis"])),
                .target(name: "XMPPAdapter", condition: .when(traits: ["AllParts", "XMPP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle")
            ],
            swiftSettings: settings),

        // The benchmarks behind the figures in the performance guide.
        .executableTarget(
            name: "heybot-benchmarks",
            dependencies: ["Heybot", "HeybotTesting", "HeybotIRC", "RedisStore", "SQLiteStore", "HeybotXMPP", log],
            path: "Benchmarks/HeybotBenchmarks", swiftSettings: settings),
        .executableTarget(
            name: "heybot-many-listeners", dependencies: ["Heybot", "HeybotCommand", "StandardScripts"],
            path: "Benchmarks/ManyListeners", swiftSettings: settings),

        // Tests, a directory for each module.
        .testTarget(
            name: "HeybotTests",
            dependencies: [
                "TestServers", "GatewayHost", "Heybot", "HeybotSupport", "HeybotTesting", "RedisLink", "RedisStore",
                log,
                metrics, .product(name: "MetricsTestKit", package: "swift-metrics")
            ]),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: ["Heybot", "HeybotTesting", "SQLiteStore", "CSQLite", "TestServers"]),
        .testTarget(
            name: "RedisStoreTests",
            dependencies: ["TestServers", "Heybot", "HeybotTesting", "RedisStore", "HeybotSockets", log]),
        .testTarget(name: "GatewayLinkTests", dependencies: ["GatewayLink", "Heybot", "HeybotTesting"]),
        .testTarget(
            name: "GatewayHostTests",
            dependencies: ["GatewayHost", "GatewayLink", "Heybot", "HeybotTesting", "TestServers", log]),
        .testTarget(
            name: "RedisLinkTests",
            dependencies: [
                "GatewayHost", "GatewayLink", "Heybot", "HeybotTesting", "RedisLink", "RedisStore", "TestServers", log
            ]),
        .testTarget(
            name: "MPDTests",
            dependencies: ["HeybotMPD", "HeybotSupport", "HeybotTesting", "MPDClient", "TestServers", log]),
        .testTarget(
            name: "CampfireAdapterTests",
            dependencies: ["CampfireAdapter", "Heybot", "HeybotTesting", "StandardScripts", "TestServers", log]),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "CCurl", "CurlClient", "Heybot", "HeybotTesting", "TestServers", "HeybotWebServer", "test-worker", log,
                nioCore
            ]),
        .testTarget(
            name: "ShellAdapterTests",
            dependencies: ["Heybot", "HeybotSupport", "HeybotTesting", "ShellAdapter", "CTerminal"]),
        .testTarget(
            name: "HubotHostTests",
            dependencies: ["Heybot", "HeybotTesting", "HeybotSupport", "HubotHost", "TestServers", log]),
        .testTarget(
            name: "IRCTests",
            dependencies: ["TestServers", "HeybotTesting", "HeybotIRC", "HeybotSupport", "HeybotSASL"],
            resources: [.copy("parser-tests")]),
        .testTarget(
            name: "SocketsTests",
            dependencies: [
                "TestServers", "HeybotTesting", "HeybotSockets", "HeybotSupport", nioCore,
                nioPosix, nioSSL
            ]),
        .testTarget(
            name: "SupportTests",
            dependencies: [
                "Heybot", "HeybotCalculation", "HeybotDates", "HeybotFeeds", "HeybotSASL", "HeybotSupport",
                "HeybotTesting", "TestServers"
            ],
            exclude: ["Calculation/reference.py"], resources: [.copy("Calculation/reference.json")]),
        .testTarget(
            name: "IRCAdapterTests",
            dependencies: [
                "Heybot", "HeybotTesting", "HeybotIRC", "IRCAdapter", "TestServers", "NetworkAdapter", "HeybotSupport",
                "HeybotSASL", "HeybotSockets", log, metrics
            ]),
        .testTarget(
            name: "XMPPTests",
            dependencies: [
                "TestServers", "HeybotTesting", "HeybotSupport", "HeybotSASL", "HeybotXMPP"
            ]),
        .testTarget(
            name: "XMPPAdapterTests",
            dependencies: [
                "Heybot", "HeybotTesting", "NetworkAdapter", "HeybotSupport", "HeybotSASL", "HeybotSockets",
                "TestServers", "HeybotXMPP", "XMPPAdapter", log, metrics
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "CurlClient", "TestServers", "Heybot", "HeybotTesting", "HeybotIRC", "IRCAdapter", "HeybotSockets",
                "RedisStore", "SQLiteStore", "StandardScripts", "HeybotSASL", "HeybotWebServer", "HeybotXMPP",
                "XMPPAdapter", "heybot-main"
            ]),
        .testTarget(
            name: "StandardScriptsTests",
            dependencies: [
                "TestServers", "Heybot", "HeybotDates", "HeybotSupport", "HeybotTesting", "StandardScripts", metrics
            ]),
        // A robot with scripts that crash it.
        .executableTarget(
            name: "crashing-robot", dependencies: ["Heybot", "HeybotCommand", "StandardScripts"],
            path: "Tests/CrashingRobot", swiftSettings: settings),
        .testTarget(
            name: "HeybotCommandTests",
            dependencies: [
                "crashing-robot", "CSQLite", "Heybot", "HeybotCommand", "HeybotTesting", "TestServers", "HeybotIRC",
                "IRCAdapter", "HeybotSupport", "RedisStore", "HeybotSASL", "SQLiteStore", "HeybotXMPP", "XMPPAdapter",
                "HeybotSockets", "ShellAdapter", "StandardScripts", "heybot-main", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics")
            ],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
        // Real and scripted servers for tests of clients, and seeded randomness.
        .target(
            name: "TestServers",
            dependencies: [
                "GatewayHost", "GatewayLink", "Heybot", "HeybotSupport", "HeybotTesting", "test-worker", log, metrics
            ],
            path: "Tests/TestServers"),
        // A second process for tests.
        .executableTarget(
            name: "test-worker", dependencies: ["CurlClient", "Heybot", "RedisStore", "SQLiteStore", log],
            path: "Tests/TestWorker", swiftSettings: settings)
    ]
)
