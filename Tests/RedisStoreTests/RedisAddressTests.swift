import HeybotSockets
import HeybotTesting
import RedisStore
import TestServers
import Testing

@Suite struct RedisAddressTests {
    @Test func `a server URL with every part`() throws {
        let address = try RedisAddress("redis://marvin:secret@redis.example.org:6380/3?prefix")
        #expect(address.location == .server(.init("redis.example.org", port: 6_380)))
        #expect(address.user == "marvin")
        #expect(address.password == "secret")
        #expect(address.database == 3)
        #expect(address.prefix == "prefix")
        #expect(!address.isEncrypted)
    }

    @Test func `missing parts have default values`() throws {
        let address = try RedisAddress("redis://localhost")
        #expect(address == RedisAddress(.server(.init("localhost", port: 6_379))))
        #expect(try RedisAddress("redis://") == address)
        #expect(try RedisAddress("redis:///") == address)
        #expect(try RedisAddress(" redis://localhost/\n") == address)
        #expect(try RedisAddress("REDIS://localhost") == address)
    }

    @Test func `the scheme enables TLS`() throws {
        #expect(try RedisAddress("rediss://host:6379").isEncrypted)
        #expect(try RedisAddress("rediss+sentinel://host/mymaster").isEncrypted)
        #expect(try !RedisAddress("redis+sentinel://host/mymaster").isEncrypted)
    }

    @Test(arguments: [
        ("redis://:secret@host", nil, "secret"), ("redis://secret@host", nil, "secret"),
        ("redis://redistogo:abc@host:9000/", "redistogo", "abc"), ("redis://h:p%40ss%2F%3A@host", "h", "p@ss/:"),
        ("redis://:a@b@host", nil, "a@b"), ("redis://u:a:b@host", "u", "a:b"), ("redis://u:@host", "u", nil),
        ("redis://host", nil, nil)
    ]) func `user and password`(_ url: String, _ user: String?, _ password: String?) throws {
        let address = try RedisAddress(url)
        #expect(address.location == .server(.init("host", port: url.contains("9000") ? 9_000 : 6_379)))
        #expect(address.user == user)
        #expect(address.password == password)
    }

    @Test(arguments: [
        ("redis://host/hubot", 0, "hubot"), ("redis://host/2", 2, nil), ("redis://host/2/hubot", 2, "hubot"),
        ("redis://host/0/1", 0, "1"),
        ("redis://host?hubot", 0, "hubot"), ("redis://host/0?hubot", 0, "hubot"), ("redis://host/?hubot", 0, "hubot"),
        ("redis://host?prefix=a%20b&db=4", 4, "a b"), ("redis://host/my%2Fbot", 0, "my/bot")
    ]) func `database and prefix`(_ url: String, _ database: Int, _ prefix: String?) throws {
        let address = try RedisAddress(url)
        #expect(address.location == .server(.init("host", port: 6_379)))
        #expect(address.database == database)
        #expect(address.prefix == prefix)
    }

    @Test(arguments: [
        "redis:///run/redis.sock?hubot", "unix:///run/redis.sock?hubot", "unix:/run/redis.sock?hubot",
        "redis+unix:///run/redis.sock?prefix=hubot", "redis://:secret@/run/redis.sock?hubot"
    ]) func `a Unix socket`(_ url: String) throws {
        let address = try RedisAddress(url)
        #expect(address.location == .socket(path: "/run/redis.sock"))
        #expect(address.prefix == "hubot")
        #expect(address.password == (url.contains("secret") ? "secret" : nil))
    }

    @Test func `an IPv6 address`() throws {
        #expect(try RedisAddress("redis://[::1]:7000").location == .server(.init("::1", port: 7_000)))
        #expect(try RedisAddress("redis://[fe80::1]").location == .server(.init("fe80::1", port: 6_379)))
    }

    @Test func `Sentinels and the name of the master`() throws {
        let address = try RedisAddress("redis+sentinel://:secret@one:26380,[::2],three/mymaster/2?hubot")
        let endpoints = [
            RedisAddress.HostAndPort("one", port: 26_380), .init("::2", port: 26_379), .init("three", port: 26_379)
        ]
        #expect(address.location == .sentinels(endpoints, master: "mymaster"))
        #expect(address.password == "secret")
        #expect(address.database == 2)
        #expect(address.prefix == "hubot")
    }

    @Test(arguments: [
        ("localhost:6379", RedisAddressError.scheme), ("http://host", .scheme), ("", .scheme), ("redis:host", .scheme),
        ("redis://:6379", .host), ("redis://ho st", .host), ("redis://[::1", .host), ("redis://[::1]x", .host),
        ("redis://h*st", .host), ("unix://host/run/redis.sock", .host), ("unix://", .host),
        ("redis://host:0", .port), ("redis://host:65536", .port), ("redis://host:", .port), ("redis://host:six", .port),
        ("redis://x:pass/word@host", .host), ("redis://x:12/34@host", .host), ("redis://x:12?34@host", .host),
        ("redis://host/0/1/2", .prefix), ("redis://host/65536", .database), ("redis://host?db=x", .database),
        ("redis+sentinel://host:26379", .master), ("redis+sentinel://host/", .master),
        ("redis://host/a/b", .prefix), ("redis://host/a?b", .prefix), ("redis://host?prefix=", .prefix),
        ("redis://host?a%0Ab", .prefix), ("redis://host?a%2", .encoding), ("redis://host?a%zz", .encoding),
        ("redis://u:%ff@host", .encoding), ("redis://host?ssl=true", .option), ("redis://:a#b@host", .fragment)
    ]) func `invalid URLs`(_ url: String, _ reason: RedisAddressError) {
        #expect(throws: reason) { try RedisAddress(url) }
    }

    @Test func `the description has no password`() throws {
        for url in ["redis://marvin:hemmelig@host:1/2?p", "redis+sentinel://:hemmelig@a,b:2/mymaster"] {
            #expect(try !"\(RedisAddress(url))".contains("hemmelig"))
        }
        #expect(try "\(RedisAddress("redis://:x@host:1/2?p"))" == "host:1, database 2")
        #expect(
            try "\(RedisAddress("redis+sentinel://a,b:2/mymaster"))" == "the master mymaster via a:26379, b:2")
    }

    @Test func `errors quote nothing of an invalid URL, and no URL makes the parser trap`() throws {
        var generator = SeededGenerator(seed: 6)
        let parts = [
            "redis", "rediss", "+sentinel", "unix", "://", ":", "hemmelig", "@", "/", "?", "&", "=", "#", "%", "%4",
            "[",
            "]", "host", "6379", ",", "\u{0}", "é", "99999999999999999999", "db", "prefix", " "
        ]
        for _ in 0..<20_000 {
            let text = (0..<generator.below(13)).map { _ in generator.pick(parts) }.joined()
            do throws(RedisAddressError) {
                _ = try RedisAddress(text)
            } catch {
                #expect(!error.description.contains("hemmelig"))
            }
        }
    }
}
