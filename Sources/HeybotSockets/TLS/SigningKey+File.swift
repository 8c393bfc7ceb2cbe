package import HeybotSupport

extension SigningKey {
    /// Reads a key from a PEM file.
    ///
    /// This blocks briefly.
    ///
    /// - Throws: ``TLSFileError`` if the file is missing, or has no unencrypted key on P-256.
    package static func read(_ file: String) throws(TLSFileError) -> SigningKey {
        let bytes = try PEMFile.read(file)
        do { return try SigningKey(pem: bytes) } catch { throw TLSFileError(file: file, problem: error.description) }
    }
}
