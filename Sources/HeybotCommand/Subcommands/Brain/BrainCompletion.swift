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

/// What a shell offers for the arguments of `heybot brain`.
///
/// A brain that isn't there, can't be read, or takes too long offers nothing.
enum BrainCompletion {
    /// How long somebody who presses Tab waits at most.
    private static let patience: Duration = .seconds(2)
    /// How many are offered at most.
    private static let most = 1_000

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

    /// The keys of the collection that the word before names.
    static var keys: CompletionKind {
        .custom { words, index, prefix in
            guard words.indices.contains(index - 1) else { return [] }
            let collection = words[index - 1]
            return await offer(words, prefix) { store, add in
                try await store.eachEntry(of: collection) { key, _ in try add(key) }
            }
        }
    }

    private struct Enough: Error {}

    /// - Parameter find: Adds everything there is to offer.
    private static func offer(
        _ words: [String], _ prefix: String,
        _ find: @escaping @Sendable (any Store, _ add: (String) throws -> Void) async throws -> Void
    ) async -> [String] {
        // The terminal shows a command that somebody is typing.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        guard let parts = try? Parts(options(in: words), Command.scripts),
            parts.brainFile.map({ access($0, R_OK) == 0 }) ?? true
        else { return [] }
        let (results, result) = AsyncStream.makeStream(of: [String].self)
        let finding = Task {
            defer { result.finish() }
            let store = parts.store()
            var found: [String] = []
            try await store.open()
            try? await find(store) { name in
                // What would have to be quoted can't be offered.
                if name.hasPrefix(prefix), Plain.word(name) == name { found.append(name) }
                if found.count >= most { throw Enough() }
            }
            await store.close()
            result.yield(found)
        }
        let waiting = Task {
            try await Task.sleep(for: patience)
            result.finish()
        }
        defer {
            finding.cancel()
            waiting.cancel()
        }
        for await found in results { return found }
        return []
    }

    /// The flags among the words that say where the brain is.
    private static func options(in words: [String]) throws -> Options {
        // bash takes `=` for a word of its own; other shells leave it in `--data=FOLDER`.
        let words = words.filter { $0 != "=" }.flatMap { word in
            word.hasPrefix("--") ? word.split(separator: "=", maxSplits: 1).map(String.init) : [word]
        }
        let flags = zip(words, words.dropFirst()).filter { ["--data", "--config"].contains($0.0) }
        return try Options.parse(flags.flatMap { [$0.0, $0.1] })
    }
}
