import RedisStore

/// Where a brain in Redis is, or that it's in none.
enum RedisURL: Hashable, Sendable {
    case none
    case address(RedisAddress)
}

extension Kind where Value == RedisURL? {
    static let redis = Kind(
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

extension Kind where Value == Duration? {
    /// Seconds, if none is forever.
    static let patience = Kind(
        shape: .number, expected: Kind<Duration>.seconds.expected,
        read: { Kind<Duration>.seconds.read($0).map(Optional.some) }, show: { $0.flatMap(Kind<Duration>.seconds.show) })
}
