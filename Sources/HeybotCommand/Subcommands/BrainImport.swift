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
    /// How many entries are written at once.
    private static let batch = 256
    /// More than the longest value, and its name.
    private static let longestLine = BrainLimits.valueBytes * 2

    private let file: String?

    /// From standard input where there is no file.
    init(_ file: String?) {
        self.file = file == "-" ? nil : file
    }

    /// Tells how many entries there were.
    ///
    /// A line that can't be read ends it; what came before is in.
    func run(into store: any Store) async throws -> Int {
        let descriptor = try input()
        defer { if descriptor != 0 { close(descriptor) } }
        var lines = Lines(descriptor: descriptor, longest: Self.longestLine)
        var waiting: [[UInt8]: BrainRecord] = [:]
        var count = 0
        var number = 0
        while let line = try lines.next() {
            number += 1
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) { continue }
            let record: BrainRecord
            do throws(BrainRecordError) {
                record = try BrainRecord(line: line)
            } catch {
                try await write(&waiting, to: store)
                throw Failure("line \(number) can't be taken in: \(error); what came before it is in", EX_DATAERR)
            }
            // In the order of the lines where two are about the same entry.
            let name =
                Array("\(record.key.collection == nil ? 0 : 1)".utf8) + Array((record.key.collection ?? "").utf8)
                + [0xff] + Array(record.key.name.utf8)
            if waiting[name] != nil || waiting.count >= Self.batch { try await write(&waiting, to: store) }
            waiting[name] = record
            count += 1
        }
        try await write(&waiting, to: store)
        return count
    }

    private func write(_ records: inout [[UInt8]: BrainRecord], to store: any Store) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for record in records.values {
                group.addTask { try await store.set(record.value, for: record.key) }
            }
            try await group.waitForAll()
        }
        records = [:]
    }

    private func input() throws -> Int32 {
        guard let file else { return 0 }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure("\(file) can't be read: \(String(cString: strerror(errno)))", EX_NOINPUT)
        }
        return descriptor
    }
}
