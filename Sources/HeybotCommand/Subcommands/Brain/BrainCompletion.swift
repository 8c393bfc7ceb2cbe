import ArgumentParser
import Heybot
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Shell completions for the arguments of `heybot brain`.
///
/// There are none if the brain doesn't exist, can't be read, or takes too long to read.
enum BrainCompletion {
    /// The time limit.
    private static let timeout: Duration = .seconds(2)
    /// The maximum number of completions.
    private static let limit = 1_000

    /// The names of values and collections.
    static var names: CompletionKind {
        .custom { words, _, prefix in
            await offer(words, prefix) { store, add in
                try await store.eachEntry(of: nil) { name, _ in try add(name) }
                try await store.eachCollection(add)
            }
        }
    }

    static var collections: CompletionKind {
        .custom { words, _, prefix in await offer(words, prefix) { store, add in try await store.eachCollection(add) } }
    }

    /// The keys of the collection that the previous word names.
    static var keys: CompletionKind {
        .custom { words, index, prefix in
            guard words.indices.contains(index - 1) else { return [] }
            let collection = words[index - 1]
            return await offer(words, prefix) { store, add in
                try await store.eachEntry(of: collection) { key, _ in try add(key) }
            }
        }
    }

    private struct LimitReached: Error {}

    /// Returns the names that begin with the prefix.
    ///
    /// - Parameter find: Adds all names.
    private static func offer(
        _ words: [String], _ prefix: String,
        _ find: @escaping @Sendable (any Store, _ add: (String) throws -> Void) async throws -> Void
    ) async -> [String] {
        // Log lines would mix with the command line that the user is typing.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        guard let assembly = try? RobotAssembly(options(in: words), Command.scripts),
            assembly.brainFile.map({ access($0, R_OK) == 0 }) ?? true
        else { return [] }
        let (results, result) = AsyncStream.makeStream(of: [String].self)
        let finding = Task {
            defer { result.finish() }
            let store = assembly.store()
            var found: [String] = []
            try await store.open()
            try? await find(store) { name in
                // Names that need quotes are left out.
                if name.hasPrefix(prefix), JSONQuoting.quotedIfNeeded(name) == name { found.append(name) }
                if found.count >= limit { throw LimitReached() }
            }
            await store.close()
            result.yield(found)
        }
        let waiting = Task {
            try await Task.sleep(for: timeout)
            result.finish()
        }
        defer {
            finding.cancel()
            waiting.cancel()
        }
        for await found in results { return found }
        return []
    }

    /// The options among the words that locate the brain.
    private static func options(in words: [String]) throws -> Options {
        // bash splits `--data=FOLDER` into three words; other shells don't.
        let words = words.filter { $0 != "=" }.flatMap { word in
            word.hasPrefix("--") ? word.split(separator: "=", maxSplits: 1).map(String.init) : [word]
        }
        let flags = zip(words, words.dropFirst()).filter { ["--data", "--config"].contains($0.0) }
        return try Options.parse(flags.flatMap { [$0.0, $0.1] })
    }
}
