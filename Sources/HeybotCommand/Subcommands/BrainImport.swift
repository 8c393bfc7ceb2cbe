import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes entries from a file of lines into a store, some at a time, since the store shares its waits for the disk.
struct BrainImport {
    /// How many entries are written at once, and how many bytes of values.
    private static let batch = (entries: 256, bytes: 4 << 20)
    /// More than the longest value, and its name.
    private static let longestLine = BrainLimits.valueBytes * 2

    private let name: String
    private let descriptor: Int32
    /// What is to be written next, by the bytes of its name: of two lines about the same entry, the later counts.
    private var waiting: [[UInt8]: BrainRecord] = [:]
    private var waitingBytes = 0

    /// From standard input where there is no file, or it is `-`.
    init(_ file: String?) throws(Failure) {
        guard let file, file != "-" else {
            (name, descriptor) = ("the input", 0)
            return
        }
        (name, descriptor) = (file, open(file, O_RDONLY | O_CLOEXEC))
        guard descriptor >= 0 else {
            throw Failure("\(file) can't be read: \(String(cString: strerror(errno)))", EX_NOINPUT)
        }
    }

    /// Tells how many entries there were.
    ///
    /// A line that can't be read ends it; what came before is in.
    mutating func run(into store: any Store) async throws -> Int {
        defer { if descriptor != 0 { close(descriptor) } }
        var lines = Lines(descriptor: descriptor, longest: Self.longestLine)
        var count = 0
        var number = 0
        while true {
            number += 1
            do {
                guard let line = try lines.next() else { break }
                if line.allSatisfy({ " \t\r".utf8.contains($0) }) { continue }
                try await add(try BrainRecord(line: line), to: store)
                count += 1
            } catch let error where !(error is StoreError) {
                try await write(to: store)
                let failure = error as? Failure
                let reason = failure?.lines.first ?? "\(error)"
                throw Failure(
                    "\(name):\(number) can't be taken in: \(reason); what came before it is in",
                    failure?.status ?? EX_DATAERR)
            }
        }
        try await write(to: store)
        return count
    }

    private mutating func add(_ record: BrainRecord, to store: any Store) async throws {
        let (collection, name) = (record.key.collection, record.key.name)
        let key = collection.map { [1] + Array($0.utf8) + [0xff] + Array(name.utf8) } ?? [0] + Array(name.utf8)
        if waiting.count >= Self.batch.entries || waitingBytes >= Self.batch.bytes { try await write(to: store) }
        waiting[key] = record
        waitingBytes += record.value.count
    }

    private mutating func write(to store: any Store) async throws {
        let records = waiting.values
        (waiting, waitingBytes) = ([:], 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for record in records {
                group.addTask { try await store.set(record.value, for: record.key) }
            }
            try await group.waitForAll()
        }
    }
}
