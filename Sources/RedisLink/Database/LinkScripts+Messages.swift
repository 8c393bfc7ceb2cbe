import RedisStore

// The scripts for messages, calls and questions.

extension LuaScript {
    /// Adds messages that an adapter has heard to a partition, as far as there is room; again without effect.
    ///
    /// ARGV: the partition, the adapter, its token, the number of the first message, the limits of the partition (messages and bytes),
    /// then the messages. Returns the ids of those that are in; `lost` if another gateway has the adapter.
    static let hear = LuaScript(
        common + """
            local partition, adapter, token, first = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
            if lease('adapters', adapter) ~= token then return 'lost' end
            local heard, stream = prefix .. 'heard:' .. partition, 'in:' .. partition
            local text = redis.call('HGET', heard, adapter)
            local last, result = 0, {}
            if text then
              local before, number = string.match(text, '^(%d+) (%d+)$')
              if tonumber(before) == token then last = tonumber(number) end
            end
            for i = 7, #ARGV do
              local number = first + i - 7
              if number <= last then
                result[#result + 1] = ''
              elseif hasRoom(stream, ARGV[5], ARGV[6]) then
                result[#result + 1] = add(stream, 'm', ARGV[i])
                redis.call('HSET', heard, adapter, string.format('%.0f %.0f', token, number))
              else
                break
              end
            end
            return result
            """)

    /// Returns what an earlier worker has left in a partition; again with the same token, it changes nothing.
    ///
    /// ARGV: the partition, the token, the worker, the number of messages. Returns the oldest messages, each as its id, itself, and how
    /// often it was taken over before; then `-`, the questions that can't be continued, each as its id and itself; then `-` and the
    /// messages that have crashed workers, each with the script. Returns `lost` if the worker has lost the partition.
    static let takeOver = LuaScript(
        common + """
            if not owns(ARGV[1], ARGV[2], ARGV[3]) then return 'lost' end
            local result = {}
            for _, entry in ipairs(redis.call('XRANGE', prefix .. 'in:' .. ARGV[1], '-', '+', 'COUNT', ARGV[4])) do
              local calls = prefix .. 'calls:' .. entry[1] .. ':' .. ARGV[1]
              if redis.call('HGET', calls, ':token') ~= ARGV[2] then
                redis.call('HSET', calls, ':token', ARGV[2])
                redis.call('HINCRBY', calls, ':attempts', 1)
                redis.call('EXPIRE', calls, 86400)
              end
              result[#result + 1] = entry[1]
              result[#result + 1] = entry[2][2]
              result[#result + 1] = redis.call('HGET', calls, ':attempts')
            end
            result[#result + 1] = '-'
            for _, part in ipairs(redis.call('HGETALL', prefix .. 'asked:' .. ARGV[1])) do
              result[#result + 1] = part
            end
            result[#result + 1] = '-'
            for _, part in ipairs(redis.call('HGETALL', prefix .. 'culprits')) do result[#result + 1] = part end
            return result
            """)

    /// Records messages that have crashed a worker: no other one shall try them.
    ///
    /// ARGV: messages and scripts.
    static let blame = LuaScript(
        common + """
            redis.call('HSET', prefix .. 'culprits', unpack(ARGV))
            redis.call('EXPIRE', prefix .. 'culprits', 86400)
            return 1
            """)

    /// Has an adapter carry out a call that a message has caused, once.
    ///
    /// ARGV: the partition, the token, the worker, the message, the call's place, the adapter, the limits of its stream (calls and
    /// bytes), the call, and the content of its file. Returns `sent`, `waiting` if it is under way already, `lost`, `full`, or `done`
    /// and the outcome.
    static let call = LuaScript(
        common + """
            if not owns(ARGV[1], ARGV[2], ARGV[3]) then return {'lost'} end
            local calls = prefix .. 'calls:' .. ARGV[4] .. ':' .. ARGV[1]
            local known = redis.call('HGET', calls, ARGV[5])
            redis.call('HSET', calls, ':worker', ARGV[3])
            redis.call('EXPIRE', calls, 86400)
            if known == '' then return {'waiting'} end
            if known then return {'done', known} end
            local out = 'out:' .. ARGV[6]
            if not hasRoom(out, ARGV[7], ARGV[8]) then return {'full'} end
            redis.call('HSET', calls, ARGV[5], '')
            add(out, 'c', ARGV[9], 'f', ARGV[10], 'k', ARGV[1], 'e', ARGV[4], 'p', ARGV[5])
            return {'sent'}
            """)

    /// Has an adapter carry out a call that no message has caused, or that changes nothing.
    ///
    /// ARGV: the worker, the call's number, the adapter, the limits of its stream (calls and bytes), the call, the content of its file,
    /// and the partition and id of the message that has caused it, if one has. Returns `sent`, `full`, or `lost` if the worker wasn't there
    /// for too long.
    static let request = LuaScript(
        common + """
            if not redis.call('ZSCORE', prefix .. 'workers', ARGV[1]) then return {'lost'} end
            local out = 'out:' .. ARGV[3]
            if not hasRoom(out, ARGV[4], ARGV[5]) then return {'full'} end
            add(out, 'c', ARGV[6], 'f', ARGV[7], 'k', ARGV[8], 'e', ARGV[9], 'w', ARGV[1], 'n', ARGV[2])
            return {'sent'}
            """)

    /// Records the outcome of a call that a message has caused, and tells the worker that has the message.
    ///
    /// ARGV: the adapter, the call's id, its length, the partition, the message, the place, the outcome.
    static let performed = LuaScript(
        common + """
            if not remove('out:' .. ARGV[1], ARGV[2], ARGV[3]) then return 0 end
            local calls = prefix .. 'calls:' .. ARGV[5] .. ':' .. ARGV[4]
            local worker = redis.call('HGET', calls, ':worker')
            if worker then
              redis.call('HSET', calls, ARGV[6], ARGV[7])
              tell(worker, 'e', ARGV[5], 'k', ARGV[4], 'p', ARGV[6], 'o', ARGV[7])
            end
            return 1
            """)

    /// Removes a call that no message has caused, and tells its worker the outcome.
    ///
    /// ARGV: the adapter, the call's id, its length, the worker, the call's number, the outcome; nobody waits if the outcome is empty.
    static let answered = LuaScript(
        common + """
            if not remove('out:' .. ARGV[1], ARGV[2], ARGV[3]) then return 0 end
            if ARGV[6] ~= '' then tell(ARGV[4], 'n', ARGV[5], 'o', ARGV[6]) end
            return 1
            """)

    /// Removes messages that are done.
    ///
    /// ARGV: the worker, then for each message its partition, the token, and its id. Messages of lost partitions stay;
    /// returns these partitions.
    static let done = LuaScript(
        common + """
            local lost = {}
            for i = 2, #ARGV, 3 do
              if owns(ARGV[i], ARGV[i + 1], ARGV[1]) then
                local entry = redis.call('XRANGE', prefix .. 'in:' .. ARGV[i], ARGV[i + 2], ARGV[i + 2])[1]
                if entry then remove('in:' .. ARGV[i], ARGV[i + 2], length(entry[2])) end
                redis.call('DEL', prefix .. 'calls:' .. ARGV[i + 2] .. ':' .. ARGV[i])
              else
                lost[#lost + 1] = ARGV[i]
              end
            end
            return lost
            """)

    /// Records that a question is open, or is over.
    ///
    /// ARGV: the partition, the token, the worker, the question's id, and the question; empty if it is over.
    static let asked = LuaScript(
        common + """
            if not owns(ARGV[1], ARGV[2], ARGV[3]) then return 0 end
            local asked = prefix .. 'asked:' .. ARGV[1]
            if ARGV[5] == '' then redis.call('HDEL', asked, ARGV[4])
            else redis.call('HSET', asked, ARGV[4], ARGV[5]) end
            return 1
            """)

    /// Asks one of the workers something.
    ///
    /// ARGV: the gateway, the question. Returns 0 if there is no worker.
    static let ask = LuaScript(
        common + """
            local workers = redis.call('ZREVRANGEBYSCORE', prefix .. 'takers', '+inf', now(), 'LIMIT', 0, 1)
            if not workers[1] then return 0 end
            tell(workers[1], 'q', ARGV[2], 'g', ARGV[1])
            return 1
            """)

    /// Answers a gateway.
    ///
    /// ARGV: the gateway, the answer.
    static let answer = LuaScript(
        common + """
            tell(ARGV[1], 'a', ARGV[2])
            return 1
            """)

    /// Returns what all have: `worker`, its id and the number of its partitions; `adapter`, its name, its gateway, and the number of
    /// calls that wait; `partition`, its number, and the number of its messages if there are any.
    ///
    /// ARGV: the number of partitions.
    static let overview = LuaScript(
        common + """
            local time, counts, result = now(), {}, {}
            for partition = 0, ARGV[1] - 1 do
              local _, expiry, holder = lease('leases', partition)
              if expiry > time then counts[holder] = (counts[holder] or 0) + 1 end
              local waiting = redis.call('XLEN', prefix .. 'in:' .. partition)
              if waiting > 0 then
                for _, part in ipairs({'partition', tostring(partition), tostring(waiting)}) do
                  result[#result + 1] = part
                end
              end
            end
            for _, worker in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'workers', time, '+inf')) do
              for _, part in ipairs({'worker', worker, tostring(counts[worker] or 0)}) do result[#result + 1] = part end
            end
            for _, adapter in ipairs(redis.call('HKEYS', prefix .. 'facts')) do
              local _, expiry, holder = lease('adapters', adapter)
              local waiting = redis.call('XLEN', prefix .. 'out:' .. adapter)
              local parts = {'adapter', adapter, expiry > time and holder or '', tostring(waiting)}
              for _, part in ipairs(parts) do result[#result + 1] = part end
            end
            return result
            """)
}
