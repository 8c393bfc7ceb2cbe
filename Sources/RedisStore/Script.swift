import Crypto

/// A script that the server runs, which nothing comes in between of.
struct Script: Sendable {
    /// In Lua.
    let text: String
    /// What the server calls it by once it has seen it.
    let hash: String

    private init(_ text: String) {
        self.text = text
        hash = Insecure.SHA1.hash(data: Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// Sets a field of a hash if it's as expected, and returns 1 if it did.
    ///
    /// KEYS are the hash; ARGV the field, then what is expected and what to set, each as `1` and the value, or as `0` and
    /// nothing if there's none.
    static let compareAndSet = Script(
        """
        local expected = ARGV[2] == '1' and ARGV[3]
        if redis.call('HGET', KEYS[1], ARGV[1]) ~= expected then return 0 end
        if ARGV[4] == '1' then redis.call('HSET', KEYS[1], ARGV[1], ARGV[5]) else redis.call('HDEL', KEYS[1], ARGV[1]) end
        return 1
        """)

    /// Which run of the server this is, in the variable `run`, and where to go on: at the beginning, where the cursor is
    /// another run's.
    private static let position = """
        local info = redis.pcall('INFO', 'server')
        local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or '?'
        local cursor = run == ARGV[1] and ARGV[2] or '0'

        """

    /// Takes a step of a walk over a hash, and returns the server's run, the next cursor, and fields and values by turns.
    ///
    /// KEYS are the hash; ARGV the run and the cursor, how many fields are enough and how many bytes. A step of HSCAN takes
    /// what it finds, however long: with short steps what is found stays near to what is wanted.
    static let page = Script(
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

    /// Takes a step of a walk over all keys, and returns the server's run, the next cursor, and the hashes among them.
    ///
    /// ARGV are the run and the cursor, and the pattern that the keys match.
    static let names = Script(
        position + """
            local step = redis.call('SCAN', cursor, 'MATCH', ARGV[3], 'COUNT', 1000, 'TYPE', 'hash')
            return {run, step[1], step[2]}
            """)

    /// Copies a text for ten minutes, and returns how long it is; 0 if there's none.
    ///
    /// KEYS are from and to.
    static let copy = Script(
        """
        local text = redis.call('GET', KEYS[1])
        if not text then return 0 end
        redis.call('SET', KEYS[2], text, 'EX', 600)
        return #text
        """)
}
