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

/// `heybot brain`: inspects and edits the brain, also while the robot runs.
struct BrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brain", abstract: "Inspect and edit the brain; safe while the robot is running.",
        subcommands: [Get.self, Set.self, Remove.self, List.self, Export.self, Import.self])

    /// The arguments that name an entry: its name, or its collection and key.
    struct EntryPath: ParsableArguments {
        @Argument(help: "The name of the value or collection.", completion: BrainCompletion.names)
        var name: String
        @Argument(help: "The key in the collection.", completion: BrainCompletion.keys) var key: String?

        var storeKey: StoreKey { BrainCommand.storeKey(name, key) }
    }

    struct Get: Subcommand {
        // Named, as the others are too: ArgumentParser would derive each name with regexes, at every start.
        static let configuration = CommandConfiguration(commandName: "get", abstract: "Print a value, as JSON.")

        @ParentCommand var root: Command
        @OptionGroup var path: EntryPath
        @OptionGroup var flags: PathAndLogOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                guard let value = try await store.value(for: path.storeKey) else { throw nothing(at: path.storeKey) }
                try StandardOutput.write(value + Array("\n".utf8))
            }
        }
    }

    struct Set: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Set a value, given as JSON.",
            discussion: """
                heybot brain set rules.motto '"Be kind"'
                heybot brain set plusplus.scores swift 5
                heybot brain set plusplus.scores swift -- -5
                """)

        @ParentCommand var root: Command
        @Argument(help: "The name of the value or collection.", completion: BrainCompletion.names)
        var name: String
        @Argument(
            help:
                "The key, if the name is a collection's; then the value as JSON, or - to read it from standard input."
        )
        var keyAndValue: [String]
        @OptionGroup var flags: PathAndLogOptions

        func validate() throws {
            guard (1...2).contains(keyAndValue.count) else {
                throw ValidationError("expected a name and a value, or a collection, a key and a value")
            }
        }

        func run() async throws {
            let text = keyAndValue.last ?? ""
            var value = text == "-" ? try StandardInput.all() : Array(text.utf8)
            while let last = value.last, " \t\r\n".utf8.contains(last) { value.removeLast() }
            guard BrainJSONLine.isJSON(value) else {
                throw ExitError("the value isn't JSON; put strings in double quotes: '\"this\"'", EX_DATAERR)
            }
            let key = BrainCommand.storeKey(name, keyAndValue.count == 2 ? keyAndValue[0] : nil)
            try await BrainCommand.withStore(options) { try await $0.set(value, for: key) }
        }
    }

    struct Remove: Subcommand {
        static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a value.")

        @ParentCommand var root: Command
        @OptionGroup var path: EntryPath
        @OptionGroup var flags: PathAndLogOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                guard try await store.value(for: path.storeKey) != nil else { throw nothing(at: path.storeKey) }
                try await store.set(nil, for: path.storeKey)
            }
        }
    }

    struct List: Subcommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the names of all values and collections, or the keys of one collection.")

        @ParentCommand var root: Command
        @Argument(help: "The collection whose keys to list.", completion: BrainCompletion.collections)
        var collection: String?
        @OptionGroup var flags: PathAndLogOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                if let collection {
                    var isEmpty = true
                    try await store.eachEntry(of: collection) { key, _ in
                        isEmpty = false
                        try StandardOutput.writeLine(JSONQuoting.quotedIfNeeded(key))
                    }
                    if isEmpty { throw nothing(at: StoreKey(name: collection)) }
                    return
                }
                try await store.eachEntry(of: nil) { name, _ in
                    try StandardOutput.writeLine(JSONQuoting.quotedIfNeeded(name))
                }
                try await store.eachCollection { name in
                    var count = 0
                    try await store.eachEntry(of: name) { _, _ in count += 1 }
                    try StandardOutput.writeLine(
                        "\(JSONQuoting.quotedIfNeeded(name)) (\(count) \(count == 1 ? "entry" : "entries"))")
                }
            }
        }
    }
}

extension BrainCommand {
    private static func storeKey(_ name: String, _ key: String?) -> StoreKey {
        key.map { StoreKey(collection: name, name: $0) } ?? StoreKey(name: name)
    }

    static func withStore<Result>(
        _ options: Options, mustExist: Bool = false, _ body: (any Store) async throws -> Result
    ) async throws -> Result {
        let assembly = try RobotAssembly(options, Command.scripts)
        assembly.log.bootstrap()
        if !mustExist, assembly.brainFile != nil { try assembly.data.make() }
        if mustExist, let file = assembly.brainFile, access(file, F_OK) != 0 {
            throw ExitError("there is no brain at \(file); set its directory with --data", EX_NOINPUT)
        }
        let store = assembly.store()
        try await store.open()
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}

private func nothing(at key: StoreKey) -> ExitError {
    ExitError("\(SafeText.line("\(key)")) doesn't exist; \"heybot brain list\" lists what exists", EX_NOINPUT)
}
