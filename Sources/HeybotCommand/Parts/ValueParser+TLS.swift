#if AllParts || IRC || XMPP || Redis
    import HeybotSockets

    // Shared by the parts with connections.

    extension ValueParser where Value == String? {
        static let fingerprint = ValueParser(
            shape: .text, expected: "the 64 hexadecimal digits of a certificate's SHA-256 fingerprint",
            read: { Fingerprint($0).map { .some($0.description) } }, show: { $0 })
    }

    extension SettingsProblem {
        /// A setting names an unusable file.
        static func file(_ name: String, _ error: TLSFileError) -> SettingsProblem {
            SettingsProblem(line: "\(name): \(error)", fix: "set \(name) to a valid file")
        }
    }
#endif
