#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads PEM files of up to 16 MB.
enum PEMFile {
    private static let limit = 16 << 20

    static func read(_ path: String) throws(TLSFileError) -> [UInt8] {
        guard let file = fopen(path, "re") else { throw failure(path, errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            bytes.append(contentsOf: piece.prefix(count))
            if count < piece.count {
                if ferror(file) != 0 { throw failure(path, errno) }
                return bytes
            }
            if bytes.count > limit {
                throw TLSFileError(
                    file: path, problem: "is larger than 16 MB: set a file that contains only certificates or keys")
            }
        }
    }

    private static func failure(_ path: String, _ code: CInt) -> TLSFileError {
        let problem =
            switch code {
            case ENOENT, ENOTDIR: "doesn't exist: check the path"
            case EACCES, EPERM: "can't be read by this user: check its permissions"
            case EISDIR: "is a directory: set a file"
            default: "can't be read (\(String(cString: strerror(code)).lowercased())): check the path"
            }
        return TLSFileError(file: path, problem: problem)
    }
}
