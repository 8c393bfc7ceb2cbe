import Heybot

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Imports entries from a file with one JSON object per line.
enum JSONLinesImport {
    /// The maximum length of a line in bytes: enough for the longest value and its name.
    private static let maxLineLength = BrainLimits.valueBytes * 2

    /// Imports all entries.
    ///
    /// An invalid line ends the import; the entries before it are kept.
    ///
    /// - Returns: The number of entries.
    static func run(from file: InputFile, into store: any Store) async throws -> Int {
        var lines = FileLineReader(file, maxLength: maxLineLength)
        var batch = BatchWriter(into: store)
        var count = 0
        var number = 0
        while true {
            number += 1
            do {
                guard let line = try lines.next() else { break }
                if line.allSatisfy({ " \t\r".utf8.contains($0) }) { continue }
                let record = try BrainJSONLine(line: line)
                try await batch.add(record.value, for: record.key)
                count += 1
            } catch let error where !(error is StoreError) {
                try await batch.write()
                let failure = error as? ExitError
                let reason = failure?.lines.first ?? "\(error)"
                throw ExitError(
                    "\(file.name):\(number) can't be imported: \(reason); the \(count) "
                        + "\(count == 1 ? "entry before it was" : "entries before it were") imported",
                    failure?.status ?? EX_DATAERR)
            }
        }
        try await batch.write()
        return count
    }
}
