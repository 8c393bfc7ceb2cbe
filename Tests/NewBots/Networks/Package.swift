// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "networks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "heybot", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Networks",
            dependencies: ["Heybot", "IRCAdapter", "SQLiteStore", "XMPPAdapter"].map {
                .product(name: $0, package: "heybot")
            })
    ]
)
