import Heybot
import HeybotSockets
import Testing

@testable import RedisStore

@Suite struct RedisErrorReplyTests {
    @Test(arguments: [
        ("WRONGPASS invalid username-password pair or user is disabled.", StoreError.Code.refused, true),
        ("NOAUTH Authentication required.", .refused, true), ("NOPERM this user has no permissions", .refused, true),
        ("ERR AUTH <password> called without any password configured for the default user.", .refused, true),
        ("ERR Client sent AUTH, but no password is set", .refused, true),
        ("WRONGTYPE Operation against a key holding the wrong kind of value", .damaged, false),
        ("READONLY You can't write against a read only replica.", .readOnly, false),
        ("LOADING Redis is loading the dataset in memory", .unavailable, false),
        ("BUSY Redis is busy running a script.", .busy, false),
        ("OOM command not allowed when used memory > 'maxmemory'.", .full, false),
        ("MISCONF Redis is configured to save RDB snapshots, but", .failed, false),
        ("MOVED 3999 127.0.0.1:6381", .unavailable, true), ("ERR max number of clients reached", .unavailable, false),
        ("ERR DB index is out of range", .unavailable, true),
        ("NOREPLICAS Not enough good replicas to write.", .unavailable, false),
        ("DENIED Redis is running in protected mode", .refused, true),
        ("ERR unknown command", .failed, false), ("", .failed, false)
    ]) func `error replies are converted`(_ text: String, _ code: StoreError.Code, _ isPermanent: Bool) {
        let trouble = RedisErrorReply(text).redisError(at: ServerNameInErrors(Endpoint(host: "host", port: 6_379)))
        #expect(trouble.code == code)
        #expect(trouble.isPermanent == isPermanent)
        #expect(trouble.message.contains("Redis at host:6379"))
        #expect(!trouble.message.contains("\n"))
    }

    @Test func `a Sentinel's password is named as such, and arguments aren't quoted`() {
        let sentinel = ServerNameInErrors(Endpoint(host: "host", port: 1), isSentinel: true)
        #expect(RedisErrorReply("NOAUTH x").redisError(at: sentinel).message.contains("the Sentinels' password"))
        #expect(RedisErrorReply("ERR unknown command 'SENTINEL'").redisError(at: sentinel).isPermanent)
        let error = RedisErrorReply("ERR unknown command 'AUTH', with args beginning with: 'hemmelig' ")
        #expect(error.words == "unknown command 'AUTH'")
    }

    @Test func `errors within a script are unwrapped for older servers`() {
        let error = RedisErrorReply(
            "ERR Error running script (call to f_abc): @user_script:3: @user_script: 3: -READONLY You can't write against"
        )
        #expect(error.code == "READONLY")
        #expect(error.isTemporary)
    }

    @Test func `only errors of commands that weren't executed are temporary`() {
        for text in ["READONLY x", "LOADING x", "MASTERDOWN x", "BUSY x", "TRYAGAIN x", "CLUSTERDOWN x"] {
            #expect(RedisErrorReply(text).isTemporary)
        }
        for text in ["ERR x", "OOM x", "NOREPLICAS x", "WRONGTYPE x", "NOSCRIPT x"] {
            #expect(!RedisErrorReply(text).isTemporary)
        }
    }

    private func address(_ prefix: String) -> RedisAddress {
        var address = RedisAddress(.server(.init("host", port: 1)))
        address.prefix = prefix
        return address
    }

    @Test func `the pattern for collections matches only their keys`() {
        #expect(KeySchema(address("a*[b]?\\")).collections == "a\\*\\[b\\]\\?\\\\:collection:*")
        let schema = KeySchema(address("p"))
        #expect(schema.collection(schema.hash("c:d")) == "c:d")
        #expect(schema.collection(schema.hash(nil)) == nil)
    }
}
