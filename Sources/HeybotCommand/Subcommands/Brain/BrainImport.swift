import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes entries from a file of lines into a store.
enum BrainImport {
    /// More than the longest value, and its name.
    private static let longestLine = BrainLimits.valueBytes * 2

    /// Tells how many entries there were.
    ///
    /// A line that can't be read ends it; what came before is in.
    static func run(from file: InputFile, into store: any Store) async throws -> Int {
        var lines = Lines(file, longest: longestLine)
        var batch = StoreBatch(into: store)
        var count = 0
        var number = 0
        while true {
            number += 1
            do {
                guard let line = try lines.next() else { break }
                if line.allSatisfy({ " \t\r".utf8.contains($0) }) { continue }
                let record = try BrainRecord(line: line)
                try await batch.add(record.value, for: record.key)
                count += 1
            } catch let error where !(error is StoreError) {
                try await batch.write()
                let failure = error as? Failure
                let reason = failure?.lines.first ?? "\(error)"
                throw Failure(
                    "\(file.name):\(number) can't be taken in: \(reason); the \(count) before it \(count == 1 ? "is" : "are") in",
                    failure?.status ?? EX_DATAERR)
            }
        }
        try await batch.write()
        return count
    }
}
