import HeybotSockets
import RedisStore

extension Settings {
    /// The settings of a brain in Redis.
    struct Redis: Sendable {
        /// The URL; if it is nil, the brain is a file.
        var url: RedisURL?
        /// The other settings.
        ///
        /// The address comes from the URL.
        var store = RedisStore.Configuration(RedisAddress(.server(.init("localhost"))))
    }
}

extension RedisStore.Configuration {
    /// Whether invalid certificates are refused.
    fileprivate var rejectsUnauthorized: Bool {
        get { !acceptsAnyCertificate }
        set { acceptsAnyCertificate = !newValue }
    }
}

extension Settings.Redis {
    var address: RedisAddress? { if case .address(let address) = url { address } else { nil } }

    /// The store's configuration; nil if the brain isn't in Redis.
    var configuration: RedisStore.Configuration? {
        guard let address else { return nil }
        var configuration = store
        configuration.address = address
        return configuration
    }

    /// Missing settings, and settings that can't be combined.
    var problems: [SettingsProblem] {
        guard let address else { return [] }
        guard address.isEncrypted else {
            guard store.authorityFile != nil || store.fingerprint != nil else { return [] }
            return [
                SettingsProblem(
                    line:
                        "a certificate is set for Redis, but its URL doesn't use TLS: "
                        + "rediss:// does",
                    reason: "a certificate is set for Redis, but its URL doesn't use TLS",
                    fix: "change HEYBOT_REDIS_URL to rediss://, or unset the certificate")
            ]
        }
        do {
            try configuration?.tls()?.check()
            return []
        } catch let error as TLSFileError {
            return [.file("HEYBOT_REDIS_CA_FILE", error)]
        } catch {
            // An invalid fingerprint was reported when it was read.
            return []
        }
    }
}

extension Setting {
    /// The settings of a brain in Redis.
    ///
    /// Hosts and Hubot have other names for the URL.
    static let redis: [Setting] = [
        Setting(
            "REDIS_URL", key: "redis.url", \.redis.url, .redis,
            "the URL of the Redis that stores the brain, `redis://:password@host:6379/0?prefix`; `none` stores the "
                + "brain in a file, even if the hosting provider sets a URL", fallback: "a file in the data directory",
            isSecret: true,
            others: ["REDIS_URL", "REDISTOGO_URL", "REDISCLOUD_URL", "BOXEN_REDIS_URL"]),
        Setting(
            "REDIS_CA_FILE", key: "redis.caFile", \.redis.store.authorityFile, .path,
            "the CA certificate (PEM) for Redis, if the system doesn't trust it"),
        Setting(
            "REDIS_FINGERPRINT", key: "redis.fingerprint", \.redis.store.fingerprint, .fingerprint,
            "the SHA-256 fingerprint of the certificate of Redis; if set, nothing else is verified"),
        Setting(
            "REDIS_REJECT_UNAUTHORIZED", key: "redis.rejectUnauthorized", \.redis.store.rejectsUnauthorized, .flag,
            "whether to refuse an invalid certificate of Redis; `false` is unsafe, use REDIS_FINGERPRINT",
            others: ["REDIS_REJECT_UNAUTHORIZED"]),
        Setting(
            "REDIS_SENTINEL_PASSWORD", key: "redis.sentinelPassword", \.redis.store.sentinelPassword, .optional(),
            "the password for the Sentinels", isSecret: true),
        Setting(
            "REDIS_TIMEOUT", key: "redis.timeout", formerly: ("REDIS_DEADLINE", "redis.deadline"),
            \.redis.store.callTimeout, .seconds,
            "seconds a call to Redis may take, including the time to reconnect"),
        Setting(
            "REDIS_START_TIMEOUT", key: "redis.startTimeout", formerly: ("REDIS_WAIT", "redis.wait"),
            \.redis.store.openTimeout, .patience,
            "seconds to wait for Redis at startup before exiting with code 73", fallback: "no limit")
    ]
}
