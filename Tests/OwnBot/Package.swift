// swift-tools-version: 6.2
import PackageDescription

// A bot of one's own: a package that depends on Heybot, with a folder of scripts.
let package = Package(
    name: "OwnBot",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heybot", path: "../..")],
    targets: [
        .target(
            name: "Scripts", dependencies: [.product(name: "Heybot", package: "heybot")], path: "Scripts",
            plugins: [.plugin(name: "ScriptCatalog", package: "heybot")]),
        .executableTarget(
            name: "OwnBot",
            dependencies: [
                "Scripts",
                .product(name: "Heybot", package: "heybot"),
                .product(name: "SQLiteStore", package: "heybot"),
                .product(name: "ShellAdapter", package: "heybot"),
                .product(name: "StandardScripts", package: "heybot")
            ]),
        .testTarget(
            name: "OwnBotTests",
            dependencies: ["Scripts", .product(name: "HeybotTesting", package: "heybot")])
    ]
)
