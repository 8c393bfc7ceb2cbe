import ArgumentParser
import Heybot
import HeybotSupport
import RedisStore

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
            abstract: "Print everything, an entry a line, as JSON that import takes.",
            discussion: """
                heybot brain export > brain.jsonl
                heybot brain export --hubot > brain.json && redis-cli -x set hubot:storage < brain.json
                """)

        @ParentCommand var root: Command
        @Flag(help: "Print one JSON text, as Hubot keeps its brain.") var hubot = false
        @OptionGroup var flags: StoreOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                if hubot { return try await HubotBrainWriter.write(store, to: StandardOutput.write) }
                try await export(nil, store)
                try await store.eachCollection { try await export($0, store) }
            }
        }

        private func export(_ collection: String?, _ store: any Store) async throws {
            try await store.eachPage(of: collection) { entries in
                let records = entries.map {
                    BrainRecord(key: StoreKey(collection: collection, name: $0.key), value: $0.value)
                }
                try StandardOutput.write(records.flatMap { $0.line + Array("\n".utf8) })
            }
        }
    }

    struct Import: Subcommand {
        static let configuration = CommandConfiguration(
            abstract: "Take in what export printed, from a file or standard input.",
            discussion: """
                What has the same name is replaced, everything else stays. It can be run again without harm.

                With --hubot it takes in a Hubot's brain: from a file, from standard input where that is -, or else from where \
                Hubot keeps it in the Redis that is set, hubot:storage.
                """)

        @ParentCommand var root: Command
        @Flag(help: "Take in a Hubot's brain.") var hubot = false
        @Argument(help: "The file to read.", completion: .file()) var file: String?
        @OptionGroup var flags: NamelessOptions

        func run() async throws {
            guard hubot else { return try Self.tell(count: try await read(file, BrainImport.run)) }
            let networks = try Parts(options, Command.scripts).settings.adapters.filter { $0 != .shell }
            let adapter = networks.count == 1 ? networks.first?.rawValue : nil
            let result =
                if let file {
                    try await read(file) { input, store in
                        try await HubotBrainImport.run(from: input.piece, into: store, adapter: adapter)
                    }
                } else {
                    try await BrainCommand.withStore(options) { try await importFromRedis($0, adapter) }
                }
            try Self.tell(count: result.count)
            for note in result.notes { try StandardOutput.writeLine(SafeText.line(note)) }
        }

        private static func tell(count: Int) throws {
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
                } catch let error as HubotImportError {
                    throw Failure("\(input.name) can't be taken in: \(error)", EX_DATAERR)
                }
            }
        }

        private func importFromRedis(
            _ store: any Store, _ adapter: String?
        ) async throws -> HubotBrainImport.Result {
            guard let redis = store as? RedisStore else {
                throw Failure(
                    usage:
                        "say which file Hubot's brain is in, - for standard input, or set HEYBOT_REDIS_URL to the Redis "
                        + "that keeps it")
            }
            let key = "\(redis.configuration.address.prefix ?? "hubot"):storage"
            guard var text = try await redis.text(of: key) else {
                throw Failure(
                    "Redis at \(redis.configuration.address) has no Hubot's brain at \(key): check the database and the prefix "
                        + "in the URL", EX_NOINPUT)
            }
            do {
                let result = try await HubotBrainImport.run(
                    from: { try await text.next() }, into: store, adapter: adapter)
                await text.close()
                return result
            } catch {
                await text.close()
                if let error = error as? HubotImportError {
                    throw Failure("\(key) can't be taken in: \(error)", EX_DATAERR)
                }
                throw error
            }
        }
    }
}
