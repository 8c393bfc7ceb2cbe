import Foundation

/// Whether tests may use these programs of real servers: they are all installed, and `bin/test` wasn't called with
/// `--no-servers`.
func mayUse(_ programs: String...) -> Bool {
    ProcessInfo.processInfo.environment["TEST_NO_SERVERS"] == nil
        && programs.allSatisfy(FileManager.default.isReadableFile(atPath:))
}
