#if AllParts || Redis
    import Heybot
    import HeybotSockets
    import Logging
    import RedisStore

    /// The store in Redis.
    struct RedisPart: RobotPart {
        let settings = Setting.redis.grouped("brain")

        func problems(in settings: SettingValues) -> [SettingsProblem] { settings.redis.problems }

        func brainLocation(in settings: SettingValues) -> String? { settings.redis.address.map { "Redis at \($0)" } }

        func store(_ settings: SettingValues, isPatient: Bool) -> (any RemoteStore)? {
            guard var configuration = settings.redis.configuration else { return nil }
            if !isPatient {
                configuration.warnsOfDataLoss = false
                // A second longer than one attempt, so that the attempt's own error is reported.
                let usual = configuration.callTimeout + .seconds(1)
                configuration.openTimeout = min(configuration.openTimeout ?? usual, usual)
            }
            return RedisStore(configuration, logger: Logger(label: "heybot.redis"))
        }
    }

    extension RedisStore: RemoteStore {
        func setting(toCheckAfter error: (any Error)?) -> String {
            (error as? StoreError)?.code == .untrusted ? "HEYBOT_REDIS_CA_FILE" : "HEYBOT_REDIS_URL"
        }

        /// The key of hubot-redis-brain.
        private var hubotKey: String { "\(configuration.address.prefix ?? "hubot"):storage" }

        func hasHubotBrain() async throws -> Bool {
            guard let text = try await stringReader(for: hubotKey) else { return false }
            await text.close()
            return true
        }

        func withHubotBrain<Result>(
            _ body: (_ name: String, _ next: () async throws -> [UInt8]?) async throws -> Result
        ) async throws -> Result {
            let key = hubotKey
            guard var text = try await stringReader(for: key) else {
                throw ExitError.noInput(
                    "Redis at \(configuration.address) contains no Hubot brain at \(key): check the database and "
                        + "the prefix in the URL")
            }
            do {
                let result = try await body(key) { try await text.next() }
                await text.close()
                return result
            } catch {
                await text.close()
                throw error
            }
        }
    }

    extension SettingValues {
        var redis: Redis {
            get { self[part: Redis()] }
            set { self[part: Redis()] = newValue }
        }

        /// The settings of a brain in Redis.
        struct Redis: Sendable {
            /// The URL; if it is nil, the brain is a file.
            var url: RedisURLOrNone?
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

    extension SettingValues.Redis {
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
                    + "brain in a file, even if the hosting provider sets a URL",
                fallback: "a file in the data directory",
                isSecret: true,
                others: ["REDIS_URL", "REDISTOGO_URL", "REDISCLOUD_URL", "BOXEN_REDIS_URL"]),
            Setting(
                "REDIS_CA_FILE", key: "redis.caFile", \.redis.store.authorityFile, .path,
                "the certificate (PEM) of the CA that signed Redis's certificate, if the system doesn't trust that CA"),
            Setting(
                "REDIS_FINGERPRINT", key: "redis.fingerprint", \.redis.store.fingerprint, .fingerprint,
                "the SHA-256 fingerprint of Redis's certificate; if this is set, only the fingerprint is verified"),
            Setting(
                "REDIS_REJECT_UNAUTHORIZED", key: "redis.rejectUnauthorized", \.redis.store.rejectsUnauthorized, .flag,
                "whether to refuse an invalid certificate from Redis; `false` is unsafe: use REDIS_FINGERPRINT instead",
                others: ["REDIS_REJECT_UNAUTHORIZED"], isAdvanced: true),
            Setting(
                "REDIS_SENTINEL_PASSWORD", key: "redis.sentinelPassword", \.redis.store.sentinelPassword, .optional(),
                "the password for the Sentinels", isSecret: true),
            Setting(
                "REDIS_TIMEOUT", key: "redis.timeout", formerly: ("REDIS_DEADLINE", "redis.deadline"),
                \.redis.store.callTimeout, .seconds,
                "seconds a call to Redis may take, including the time to reconnect", isAdvanced: true),
            Setting(
                "REDIS_START_TIMEOUT", key: "redis.startTimeout", formerly: ("REDIS_WAIT", "redis.wait"),
                \.redis.store.openTimeout, .patience,
                "seconds to wait for Redis at startup before exiting with code 73", fallback: "no limit",
                isAdvanced: true)
        ]
    }
#endif
