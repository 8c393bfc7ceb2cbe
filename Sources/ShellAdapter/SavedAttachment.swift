import FoundationEssentials
import Heybot
import HeybotSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that the robot has sent to the terminal, saved where only the user who runs the robot can read it.
struct SavedAttachment {
    /// What the terminal shows: the alternative text, and where the file lies.
    let text: String

    /// Saves a file among the system's temporary files, in a folder of its own.
    ///
    /// - Throws: ``Heybot/AdapterError`` if that isn't possible.
    init(_ attachment: Attachment) throws(AdapterError) {
        let name = SafeText.fileName(attachment.name) ?? "file"
        let setting = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let parent = setting.isEmpty ? "/tmp" : setting
        let folder = "\(parent)/heybot-\(UUID().uuidString)"
        guard mkdir(folder, 0o700) == 0 else { throw Self.failure(name, parent) }
        do {
            try Data(attachment.bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        } catch {
            // If the disk is full, a part of the file would stay.
            try? FileManager.default.removeItem(atPath: folder)
            throw Self.failure(name, parent)
        }
        text = "\(attachment.alternative) (\(folder)/\(name))"
    }

    private static func failure(_ name: String, _ folder: String) -> AdapterError {
        AdapterError(.notAllowed, "\(name) can't be saved: check whether \(folder) can be written to and has space")
    }
}
