#if AllParts || Redis
    import RedisStore

    /// The address of a brain in Redis, or an explicit `none`.
    enum RedisURLOrNone: Hashable, Sendable {
        case none
        case address(RedisAddress)
    }

    extension ValueParser where Value == RedisURLOrNone? {
        static let redis = ValueParser(
            shape: .text, expected: "a URL such as redis://:password@host:6379/0?prefix",
            read: { text in
                if text.lowercased() == "none" { return .some(.some(.none)) }
                return (try? RedisAddress(text)).map { .some(.address($0)) }
            },
            show: { url in
                switch url {
                case .address(let address): address.description
                case .some(.none): "none"
                case nil: nil
                }
            }, holdsSecrets: true,
            why: { text in
                do throws(RedisAddressError) {
                    _ = try RedisAddress(text)
                    return nil
                } catch {
                    return error.description
                }
            })
    }

    extension ValueParser where Value == Duration? {
        /// Seconds; nil means without limit.
        static let patience = ValueParser(
            shape: .number, expected: ValueParser<Duration>.seconds.expected,
            read: { ValueParser<Duration>.seconds.read($0).map(Optional.some) },
            show: { $0.flatMap(ValueParser<Duration>.seconds.show) })
    }
#endif
