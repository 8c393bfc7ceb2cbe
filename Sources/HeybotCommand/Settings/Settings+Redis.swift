import HeybotSockets
import RedisStore

extension Settings {
    /// What is set of a brain in Redis.
    struct Redis: Sendable {
        /// Where it is; without one the brain is a file.
        var url: RedisURL?
        /// The rest; its address is that of the URL.
        var store = RedisStore.Configuration(RedisAddress(.server(.init("localhost"))))
    }
}

extension RedisStore.Configuration {
    /// Whether a certificate that proves nothing is refused.
    fileprivate var rejectsUnauthorized: Bool {
        get { !takesAnyCertificate }
        set { takesAnyCertificate = !newValue }
    }
}

extension Settings.Redis {
    var address: RedisAddress? { if case .address(let address) = url { address } else { nil } }

    /// What the store wants to know; nil if the brain isn't in Redis.
    var configuration: RedisStore.Configuration? {
        guard let address else { return nil }
        var configuration = store
        configuration.address = address
        return configuration
    }

    /// What is missing, or doesn't go together.
    var problems: [SettingsProblem] {
        guard let address else { return [] }
        guard address.isEncrypted else {
            guard store.authorityFile != nil || store.fingerprint != nil else { return [] }
            return [
                SettingsProblem(
                    line:
                        "a certificate is set for Redis, but its URL says that the connection isn't encrypted: "
                        + "rediss:// is",
                    reason: "a certificate is set for Redis, but its URL says that the connection isn't encrypted",
                    cure: "have HEYBOT_REDIS_URL begin with rediss://, or unset the certificate")
            ]
        }
        do {
            try configuration?.tls()?.check()
            return []
        } catch let error as TLSFileError {
            return [.file("HEYBOT_REDIS_CA_FILE", error)]
        } catch {
            // What isn't a fingerprint was told when it was read.
            return []
        }
    }
}

extension Setting {
    /// Those of a brain in Redis; hosts and Hubot have names of their own for the URL.
    static let redis: [Setting] = [
        Setting(
            "REDIS_URL", key: "redis.url", \.redis.url, .redis,
            "the Redis that keeps the brain, as `redis://:password@host:6379/0?prefix`; `none` for a file, whatever the "
                + "host sets", fallback: "a file in DATA", isSecret: true,
            others: ["REDIS_URL", "REDISTOGO_URL", "REDISCLOUD_URL", "BOXEN_REDIS_URL"]),
        Setting(
            "REDIS_CA_FILE", key: "redis.caFile", \.redis.store.authorityFile, .path,
            "the certificate (PEM) of the authority that signed Redis', where the system doesn't know it"),
        Setting(
            "REDIS_FINGERPRINT", key: "redis.fingerprint", \.redis.store.fingerprint, .fingerprint,
            "the SHA-256 fingerprint of Redis' certificate, which then is all that is checked"),
        Setting(
            "REDIS_REJECT_UNAUTHORIZED", key: "redis.rejectUnauthorized", \.redis.store.rejectsUnauthorized, .flag,
            "whether to refuse a certificate that proves nothing; `false` is unsafe, use REDIS_FINGERPRINT",
            others: ["REDIS_REJECT_UNAUTHORIZED"]),
        Setting(
            "REDIS_SENTINEL_PASSWORD", key: "redis.sentinelPassword", \.redis.store.sentinelPassword, .optional(),
            "the password of the Sentinels, where they have one", isSecret: true),
        Setting(
            "REDIS_DEADLINE", key: "redis.deadline", \.redis.store.deadline, .seconds,
            "how many seconds Redis may take to answer, and a script waits while it is away"),
        Setting(
            "REDIS_WAIT", key: "redis.wait", \.redis.store.patience, .patience,
            "how many seconds to wait for Redis at the start, before ending with status 73",
            fallback: "as long as it takes")
    ]
}
