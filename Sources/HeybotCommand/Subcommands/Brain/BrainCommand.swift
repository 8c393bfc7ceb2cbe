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

/// `heybot brain`: looks into what a robot remembers, and changes it, also while the robot runs.
struct BrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "brain", abstract: "Look into what the robot remembers, and change it, also while it runs.",
        subcommands: [Get.self, Set.self, Remove.self, List.self, Export.self, Import.self])

    /// Where an entry is: its name, or its collection and its key.
    struct Place: ParsableArguments {
        @Argument(help: "The name of the value, or of the collection.", completion: BrainCompletion.names)
        var name: String
        @Argument(help: "The key in the collection.", completion: BrainCompletion.keys) var key: String?

        var storeKey: StoreKey { BrainCommand.storeKey(name, key) }
    }

    struct Get: Subcommand {
        static let configuration = CommandConfiguration(abstract: "Print a value, as JSON.")

        @ParentCommand var root: Command
        @OptionGroup var place: Place
        @OptionGroup var flags: StoreOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                guard let value = try await store.value(for: place.storeKey) else { throw nothing(at: place.storeKey) }
                try StandardOutput.write(value + Array("\n".utf8))
            }
        }
    }

    struct Set: Subcommand {
        static let configuration = CommandConfiguration(
            abstract: "Set a value, given as JSON.",
            discussion: """
                heybot brain set rules.motto '"Be kind"'
                heybot brain set plusplus.scores swift 5
                heybot brain set plusplus.scores swift -- -5
                """)

        @ParentCommand var root: Command
        @Argument(help: "The name of the value, or of the collection.", completion: BrainCompletion.names)
        var name: String
        @Argument(
            help:
                "The key in the collection, where it is in one; and the value, as JSON; - reads it from standard input."
        )
        var keyAndValue: [String]
        @OptionGroup var flags: StoreOptions

        func validate() throws {
            guard (1...2).contains(keyAndValue.count) else {
                throw ValidationError("expected a name and a value, or a collection, a key and a value")
            }
        }

        func run() async throws {
            let text = keyAndValue.last ?? ""
            var value = text == "-" ? try StandardInput.all() : Array(text.utf8)
            while let last = value.last, " \t\r\n".utf8.contains(last) { value.removeLast() }
            guard BrainRecord.isJSON(value) else {
                throw Failure("the value isn't JSON; put a text in double quotes, as '\"this\"'", EX_DATAERR)
            }
            let key = BrainCommand.storeKey(name, keyAndValue.count == 2 ? keyAndValue[0] : nil)
            try await BrainCommand.withStore(options) { try await $0.set(value, for: key) }
        }
    }

    struct Remove: Subcommand {
        static let configuration = CommandConfiguration(abstract: "Take a value away.")

        @ParentCommand var root: Command
        @OptionGroup var place: Place
        @OptionGroup var flags: StoreOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                guard try await store.value(for: place.storeKey) != nil else { throw nothing(at: place.storeKey) }
                try await store.set(nil, for: place.storeKey)
            }
        }
    }

    struct List: Subcommand {
        static let configuration = CommandConfiguration(
            abstract: "List the names of all values and collections, or the keys of one collection.")

        @ParentCommand var root: Command
        @Argument(help: "The collection whose keys to list.", completion: BrainCompletion.collections)
        var collection: String?
        @OptionGroup var flags: StoreOptions

        func run() async throws {
            try await BrainCommand.withStore(options, mustExist: true) { store in
                if let collection {
                    var isEmpty = true
                    try await store.eachEntry(of: collection) { key, _ in
                        isEmpty = false
                        try StandardOutput.writeLine(Plain.word(key))
                    }
                    if isEmpty { throw nothing(at: StoreKey(name: collection)) }
                    return
                }
                try await store.eachEntry(of: nil) { name, _ in try StandardOutput.writeLine(Plain.word(name)) }
                try await store.eachCollection { name in
                    var count = 0
                    try await store.eachEntry(of: name) { _, _ in count += 1 }
                    try StandardOutput.writeLine("\(Plain.word(name)) (\(count) \(count == 1 ? "entry" : "entries"))")
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
        let parts = try Parts(options, Command.scripts)
        parts.log.bootstrap()
        if !mustExist, parts.brainFile != nil { try parts.data.make() }
        if mustExist, let file = parts.brainFile, access(file, F_OK) != 0 {
            throw Failure("there is no brain at \(file) yet; say with --data where it is", EX_NOINPUT)
        }
        let store = parts.store()
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

private func nothing(at key: StoreKey) -> Failure {
    Failure("there is nothing at \(SafeText.line("\(key)")); heybot brain list shows what there is", EX_NOINPUT)
}
