import Logging
package import RedisStore

/// What all gateways and workers have at a moment.
package struct LinkOverview: Hashable, Sendable {
    /// A worker.
    package struct Worker: Hashable, Sendable {
        /// Its id.
        package let id: String
        /// The number of its partitions.
        package let partitions: Int
    }

    /// An adapter.
    package struct Adapter: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// The id of the gateway that has it; nil if none has.
        package let gateway: String?
        /// The number of calls that wait for it.
        package let waiting: Int
    }

    /// The workers that are there.
    package private(set) var workers: [Worker] = []
    /// The adapters that a gateway has, or had.
    package private(set) var adapters: [Adapter] = []
    /// The number of messages that aren't done, of the partitions with any.
    package private(set) var waiting: [Int: Int] = [:]

    init(_ words: [String]) {
        var rest = words[...]
        while let kind = rest.popFirst() {
            switch kind {
            case "worker":
                guard let id = rest.popFirst(), let partitions = rest.popFirst().flatMap({ Int($0) }) else { return }
                workers.append(Worker(id: id, partitions: partitions))
            case "adapter":
                guard let name = rest.popFirst(), let gateway = rest.popFirst(),
                    let waiting = rest.popFirst().flatMap({ Int($0) })
                else { return }
                adapters.append(Adapter(name: name, gateway: gateway.isEmpty ? nil : gateway, waiting: waiting))
            case "partition":
                guard let number = rest.popFirst().flatMap({ Int($0) }),
                    let count = rest.popFirst().flatMap({ Int($0) })
                else { return }
                waiting[number] = count
            default: return
            }
        }
    }

    /// Reads what all have, at the first attempt.
    ///
    /// - Throws: ``Heybot/StoreError``.
    package static func read(_ configuration: RedisStore.Configuration) async throws -> LinkOverview {
        var configuration = configuration
        // A second longer than one attempt, so that the attempt's own error is reported.
        configuration.openTimeout = configuration.callTimeout + .seconds(1)
        // Its error is printed.
        let database = LinkDatabase(configuration, Logger(label: "heybot.redis") { _ in SwiftLogNoOpLogHandler() })
        try await database.open()
        do {
            let overview = try await database.overview()
            await database.close()
            return overview
        } catch {
            await database.close()
            throw error
        }
    }
}
