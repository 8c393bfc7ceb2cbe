import RedisStore

/// The scripts by which gateways and workers change what they share; each is one step for all others.
///
/// KEYS[1] of each is the prefix of all keys:
///
/// | key | what it has |
/// |---|---|
/// | `leases` | hash: a partition → `token expiry worker` |
/// | `adapters` | hash: an adapter → `token expiry gateway` |
/// | `facts` | hash: an adapter → its facts |
/// | `robot` | hash: the robot's name, and the format of what all of these keys have |
/// | `workers` | sorted set: the workers that are there, with the time until which they are |
/// | `takers` | sorted set: those of them that take partitions |
/// | `alive:<kind>`, `settling:<kind>` | whether a worker or gateway was there lately; whether the holders of leases get time to renew them |
/// | `in:<partition>` | stream: the messages that aren't done |
/// | `heard:<partition>` | hash: an adapter → `token number` of the last message that it has added |
/// | `calls:<message>` | hash: the calls that a message has caused → their outcomes, empty while they are under way |
/// | `culprits` | hash: a message that has crashed a worker → the script |
/// | `asked:<partition>` | hash: the questions that are open |
/// | `out:<adapter>` | stream: the calls that the adapter hasn't carried out |
/// | `to:<process>` | stream: outcomes and questions for a worker, or answers for a gateway |
/// | `bytes` | hash: a stream of messages or calls → the length of its entries |
///
/// Times are those of the server's clock in milliseconds, so that the clocks of machines may differ. A token grows each time that a
/// lease gets another holder: what a former one still wants is refused.
extension LuaScript {
    /// What all scripts begin with.
    static let common = """
        local prefix = KEYS[1]
        local function now()
          local t = redis.call('TIME')
          return t[1] * 1000 + math.floor(t[2] / 1000)
        end
        local function lease(hash, field)
          local text = redis.call('HGET', prefix .. hash, field)
          if not text then return 0, 0, '' end
          local token, expiry, holder = string.match(text, '^(%d+) (%d+) (.*)$')
          return tonumber(token), tonumber(expiry), holder
        end
        -- A lease that ends much later than any new one is of a time before the server's clock was set back.
        local function isOver(expiry, time, live) return expiry <= time or expiry > time + 2 * live end
        -- After an outage, all leases are over: their holders get some time to renew them.
        local function settles(kind, live)
          if redis.call('EXISTS', prefix .. 'alive:' .. kind) == 0 then
            redis.call('SET', prefix .. 'settling:' .. kind, '1', 'PX', math.ceil(live / 2))
          end
          redis.call('SET', prefix .. 'alive:' .. kind, '1', 'PX', live)
          return redis.call('EXISTS', prefix .. 'settling:' .. kind) == 1
        end
        local function hold(hash, field, token, expiry, holder)
          redis.call('HSET', prefix .. hash, field, string.format('%.0f %.0f %s', token, expiry, holder))
        end
        local function owns(partition, token, worker)
          local present, _, holder = lease('leases', partition)
          return holder == worker and present == tonumber(token)
        end
        local function tell(process, ...)
          local key = prefix .. 'to:' .. process
          redis.call('XADD', key, 'MAXLEN', '~', 20000, '*', ...)
          redis.call('EXPIRE', key, 3600)
        end
        -- Before Redis 6.2, this is an error, and only the number of entries is limited.
        local function forget(process, last)
          redis.pcall('XTRIM', prefix .. 'to:' .. process, 'MINID', '~', last)
        end
        local function length(parts)
          local sum = 0
          for _, part in ipairs(parts) do sum = sum + #part end
          return sum
        end
        local function hasRoom(stream, entries, bytes)
          local count = redis.call('XLEN', prefix .. stream)
          -- Someone may have removed all entries.
          if count == 0 then redis.call('HDEL', prefix .. 'bytes', stream) end
          return count < tonumber(entries)
            and tonumber(redis.call('HGET', prefix .. 'bytes', stream) or 0) < tonumber(bytes)
        end
        local function add(stream, ...)
          redis.call('HINCRBY', prefix .. 'bytes', stream, length({...}))
          return redis.call('XADD', prefix .. stream, '*', ...)
        end
        local function remove(stream, id, bytes)
          if redis.call('XDEL', prefix .. stream, id) == 0 then return false end
          if redis.call('XLEN', prefix .. stream) == 0 then redis.call('HDEL', prefix .. 'bytes', stream)
          else redis.call('HINCRBY', prefix .. 'bytes', stream, -bytes) end
          return true
        end

        """

    /// Registers a robot's name and a format; returns them, or those of gateways or workers that are there.
    ///
    /// ARGV: the name and the format.
    static let introduce = LuaScript(
        common + """
            local name = redis.call('HGET', prefix .. 'robot', 'name')
            local format = redis.call('HGET', prefix .. 'robot', 'format') or ARGV[2]
            if name and (name ~= ARGV[1] or format ~= ARGV[2]) then
              local time = now()
              if redis.call('ZCOUNT', prefix .. 'workers', time, '+inf') > 0 then return {name, format} end
              for _, adapter in ipairs(redis.call('HKEYS', prefix .. 'adapters')) do
                local _, expiry = lease('adapters', adapter)
                if expiry > time then return {name, format} end
              end
            end
            redis.call('HSET', prefix .. 'robot', 'name', ARGV[1], 'format', ARGV[2])
            return {ARGV[1], ARGV[2]}
            """)

    /// Says that a worker is there, renews the leases of its partitions, and takes free ones up to its share.
    ///
    /// ARGV: the worker, the time to live, the number of partitions, `1` if it takes partitions, where it begins to take them, and the
    /// id up to which it has read its stream.
    /// Returns the number of workers that take partitions, the facts of adapters as name, facts, `1` if it has a gateway, then `-`,
    /// and for each partition that the worker has its number, its token, and the number of its messages.
    static let renewLeases = LuaScript(
        common + """
            local worker, live, count, takes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
            local time = now()
            for _, set in ipairs({'workers', 'takers'}) do
              redis.call('ZREMRANGEBYSCORE', prefix .. set, '-inf', time)
              redis.call('ZREMRANGEBYSCORE', prefix .. set, time + 2 * live, '+inf')
            end
            redis.call('ZADD', prefix .. 'workers', time + live, worker)
            forget(worker, ARGV[6])
            if takes then redis.call('ZADD', prefix .. 'takers', time + live, worker)
            else redis.call('ZREM', prefix .. 'takers', worker) end
            local isSettling = settles('workers', live)
            local takers = redis.call('ZCARD', prefix .. 'takers')
            local result, owned, free = {tostring(takers)}, {}, {}
            local facts = redis.call('HGETALL', prefix .. 'facts')
            for i = 1, #facts, 2 do
              local _, expiry = lease('adapters', facts[i])
              if expiry > 0 and expiry + 86400000 < time then
                redis.call('HDEL', prefix .. 'facts', facts[i])
                redis.call('DEL', prefix .. 'out:' .. facts[i])
                redis.call('HDEL', prefix .. 'bytes', 'out:' .. facts[i])
              else
                result[#result + 1] = facts[i]
                result[#result + 1] = facts[i + 1]
                result[#result + 1] = isOver(expiry, time, live) and '0' or '1'
              end
            end
            result[#result + 1] = '-'
            local taken = 0
            local function take(partition, token)
              hold('leases', partition, token, time + live, worker)
              owned[#owned + 1] = tostring(partition)
              owned[#owned + 1] = string.format('%.0f', token)
              owned[#owned + 1] = tostring(redis.call('XLEN', prefix .. 'in:' .. partition))
              taken = taken + 1
            end
            for i = 0, count - 1 do
              local partition = (i + tonumber(ARGV[5])) % count
              local token, expiry, holder = lease('leases', partition)
              if holder == worker then take(partition, token)
              elseif holder == '' or (isOver(expiry, time, live) and not isSettling) then
                free[#free + 1] = {partition, token}
              end
            end
            if takes then
              local share = math.ceil(count / takers)
              for _, each in ipairs(free) do
                if taken < share then take(each[1], each[2] + 1) end
              end
            end
            for _, part in ipairs(owned) do result[#result + 1] = part end
            return result
            """)

    /// Gives up everything that a worker has, and removes it.
    ///
    /// ARGV: the worker, the number of partitions.
    static let leave = LuaScript(
        common + """
            for partition = 0, ARGV[2] - 1 do
              local token, _, holder = lease('leases', partition)
              if holder == ARGV[1] then hold('leases', partition, token, 0, '') end
            end
            redis.call('ZREM', prefix .. 'workers', ARGV[1])
            redis.call('ZREM', prefix .. 'takers', ARGV[1])
            redis.call('DEL', prefix .. 'to:' .. ARGV[1])
            return 1
            """)

    /// Adds an entry without meaning to a process's stream, so that its reading begins again.
    ///
    /// ARGV: the process.
    static let wake = LuaScript(
        common + """
            tell(ARGV[1], 'wake', '')
            return 1
            """)

    /// Gives partitions up.
    ///
    /// ARGV: the worker, then partitions and tokens.
    static let releaseLeases = LuaScript(
        common + """
            for i = 2, #ARGV, 2 do
              if owns(ARGV[i], ARGV[i + 1], ARGV[1]) then hold('leases', ARGV[i], ARGV[i + 1], 0, '') end
            end
            return 1
            """)

    /// Takes or renews the leases of all adapters of a gateway, and sets their facts.
    ///
    /// ARGV: the gateway, the time to live, the id up to which it has read its stream, then names and facts. Returns the time and the
    /// tokens; or `wait` and the gateway that has one.
    static let holdAdapters = LuaScript(
        common + """
            local gateway, live, time = ARGV[1], tonumber(ARGV[2]), now()
            local isSettling = settles('gateways', live)
            forget(gateway, ARGV[3])
            for i = 4, #ARGV, 2 do
              local _, expiry, holder = lease('adapters', ARGV[i])
              if holder ~= gateway and holder ~= '' and (isSettling or not isOver(expiry, time, live)) then
                return {'wait', holder}
              end
            end
            local result = {string.format('%.0f', time)}
            for i = 4, #ARGV, 2 do
              local token, _, holder = lease('adapters', ARGV[i])
              if holder ~= gateway then token = token + 1 end
              hold('adapters', ARGV[i], token, time + tonumber(ARGV[2]), gateway)
              redis.call('HSET', prefix .. 'facts', ARGV[i], ARGV[i + 1])
              result[#result + 1] = string.format('%.0f', token)
            end
            return result
            """)

    /// Gives the leases of adapters up, and removes the gateway's stream.
    ///
    /// ARGV: the gateway, then names.
    static let releaseAdapters = LuaScript(
        common + """
            redis.call('DEL', prefix .. 'to:' .. ARGV[1])
            for i = 2, #ARGV do
              local token, _, holder = lease('adapters', ARGV[i])
              -- What waits for the adapter is kept for a day.
              if holder == ARGV[1] then hold('adapters', ARGV[i], token, now(), '') end
            end
            return 1
            """)
}
