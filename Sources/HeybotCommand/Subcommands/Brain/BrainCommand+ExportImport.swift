import ArgumentParser
import Heybot
import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension BrainCommand {
    struct Export: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print all entries, one JSON object per line, for import.",
            discussion: """
                heybot brain export > brain.jsonl
                heybot brain export --hubot > brain.json && redis-cli -x set hubot:storage < brain.json
                """)

        @ParentCommand var root: Command
        @Flag(help: "Print one JSON object in the format of Hubot's brain.") var hubot = false
        @OptionGroup var flags: PathAndLogOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                if hubot { return try await HubotBrainJSONWriter.write(store, to: StandardOutput.write) }
                try await export(nil, store)
                try await store.eachCollection { try await export($0, store) }
            }
        }

        private func export(_ collection: String?, _ store: any Store) async throws {
            try await store.eachPage(of: collection) { entries in
                let records = entries.map {
                    BrainJSONLine(key: StoreKey(collection: collection, name: $0.key), value: $0.value)
                }
                try StandardOutput.write(records.flatMap { $0.line + Array("\n".utf8) })
            }
        }
    }

    struct Import: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Import an export, from a file or standard input.",
            discussion: """
                Entries with the same names are replaced; other entries stay. An import can be repeated safely.

                With --hubot, the command imports Hubot's brain from the file (- means standard input). Without a file, it \
                reads the key hubot:storage in the Redis at HEYBOT_REDIS_URL.
                """)

        @ParentCommand var root: Command
        @Flag(help: "Import Hubot's brain.") var hubot = false
        @Argument(help: "The file to read.", completion: .file()) var file: String?
        @OptionGroup var flags: AdapterPathAndLogOptions

        func run() async throws {
            guard hubot else { return try Self.printCount(try await read(file, JSONLinesImport.run)) }
            let networks = try RobotAssembly(options, Command.scripts).settings.networks.filter { $0.kind != .shell }
            let network = networks.count == 1 ? networks.first : nil
            let result =
                if let file {
                    try await read(file) { input, store in
                        try await HubotBrainImport.run(from: input.nextChunk, into: store, network: network)
                    }
                } else {
                    try await BrainCommand.withStore(options) { try await importFromServer($0, network) }
                }
            try Self.printCount(result.count)
            for note in result.notes { try StandardOutput.writeLine(SafeText.line(note)) }
        }

        private static func printCount(_ count: Int) throws {
            try StandardOutput.writeLine("\(count) \(count == 1 ? "entry" : "entries")")
        }

        private func read<Result>(
            _ file: String?, _ body: (InputFile, any Store) async throws -> Result
        ) async throws -> Result {
            let input = try InputFile(file)
            defer { input.close() }
            return try await BrainCommand.withStore(options) { store in
                do {
                    return try await body(input, store)
                } catch let error as IncompleteImportError {
                    throw ExitError("\(input.name) can't be imported: \(error)", EX_DATAERR)
                }
            }
        }

        private func importFromServer(
            _ store: any Store, _ network: Network?
        ) async throws -> HubotBrainImport.Result {
            guard let store = store as? any RemoteStore else {
                throw ExitError(
                    usage:
                        "name the file that contains Hubot's brain (- for standard input), or set HEYBOT_REDIS_URL to "
                        + "the Redis that contains it")
            }
            return try await store.withHubotBrain { name, next in
                do {
                    return try await HubotBrainImport.run(from: next, into: store, network: network)
                } catch let error as IncompleteImportError {
                    throw ExitError("\(name) can't be imported: \(error)", EX_DATAERR)
                }
            }
        }
    }
}
