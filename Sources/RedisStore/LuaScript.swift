import HeybotSupport

/// A Lua script that the server runs atomically.
package struct LuaScript: Sendable {
    /// The source text.
    let text: String
    /// The SHA-1 hash by which the server knows a cached script.
    let hash: String

    /// Creates a script.
    package init(_ text: String) {
        self.text = text
        hash = CryptographicHash.sha1.hash(text.utf8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Sets or deletes a field of a hash if it has the expected value, and returns 1 if it did.
    ///
    /// KEYS: the hash and, for a collection of timers, the sorted set of their times. ARGV: the field, then the expected and the
    /// new value, each as `1` and the value, or as `0` and an empty text for no value; `*` expects any value or none. For a
    /// collection of timers, the time follows, or an empty text for no time. The sorted set is changed first: if an access rule
    /// of the server permits only changes of hashes, nothing is changed.
    static let compareAndSet = LuaScript(
        """
        local expected = ARGV[2] == '1' and ARGV[3]
        if ARGV[2] ~= '*' and redis.call('HGET', KEYS[1], ARGV[1]) ~= expected then return 0 end
        if KEYS[2] and ARGV[6] == '' then redis.call('ZREM', KEYS[2], ARGV[1]) end
        if KEYS[2] and ARGV[6] ~= '' then redis.call('ZADD', KEYS[2], ARGV[6], ARGV[1]) end
        if ARGV[4] == '1' then redis.call('HSET', KEYS[1], ARGV[1], ARGV[5]) else redis.call('HDEL', KEYS[1], ARGV[1]) end
        return 1
        """)

    /// Sets `run` to the server's run id, and `cursor` to the given cursor, or to the beginning if it belongs to another run.
    private static let position = """
        local info = redis.pcall('INFO', 'server')
        local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '?'
        local cursor = run == ARGV[1] and ARGV[2] or '0'

        """

    /// Scans a part of a hash, and returns the server's run id, the next cursor, and alternating fields and values.
    ///
    /// KEYS: the hash. ARGV: the run id, the cursor, and the number of fields and of bytes after which to stop. HSCAN returns
    /// whole buckets; a small COUNT keeps the result close to these limits.
    static let page = LuaScript(
        position + """
            local found, bytes, steps = {}, 0, 0
            repeat
              local step = redis.call('HSCAN', KEYS[1], cursor, 'COUNT', 4)
              cursor = step[1]
              for _, part in ipairs(step[2]) do
                found[#found + 1] = part
                bytes = bytes + #part
              end
              steps = steps + 1
            until cursor == '0' or #found >= 2 * tonumber(ARGV[3]) or bytes >= tonumber(ARGV[4]) or steps >= 1000
            return {run, cursor, found}
            """)

    /// Scans a part of all keys, and returns the server's run id, the next cursor, and the hashes among the keys.
    ///
    /// ARGV: the run id, the cursor, and the pattern for the keys.
    static let names = LuaScript(
        position + """
            local step = redis.call('SCAN', cursor, 'MATCH', ARGV[3], 'COUNT', 1000, 'TYPE', 'hash')
            return {run, step[1], step[2]}
            """)

    /// Copies a string for ten minutes, and returns its length; 0 if there is none.
    ///
    /// KEYS: the source and the destination.
    static let copy = LuaScript(
        """
        local text = redis.call('GET', KEYS[1])
        if not text then return 0 end
        redis.call('SET', KEYS[2], text, 'EX', 600)
        return #text
        """)
}
