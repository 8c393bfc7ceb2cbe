/// Shares the memory for request bodies among routes and clients, which aren't authenticated at that point.
///
/// What a route and one of its clients use together stays below what is free for others: of 128 MiB, a route gets 64 and a
/// single client of it 42. So whatever arrives at one route, another route's bodies are still read. If there is no room,
/// the slowest competing bodies are evicted, but never those of routes that use less.
struct BodyEvictionPolicy {
    /// The result of reserving bytes.
    struct ReservationResult: Hashable {
        /// Whether the bytes were reserved; if not, their body is no longer registered.
        let isGranted: Bool
        /// The bodies that were evicted to make room.
        let evicted: [Int]
    }

    typealias Instant = ContinuousClock.Instant

    private struct Body {
        let route: String
        let client: String
        let began: Instant
        var bytes = 0
        var isComing = true
        /// The recently received bytes, with a half-life of one second.
        private var recent = 0
        private var counted: Instant

        init(route: String, client: String, began: Instant) {
            self.route = route
            self.client = client
            self.began = began
            counted = began
        }

        func pace(_ now: Instant) -> Int {
            recent >> min((now - counted).components.seconds, 62)
        }

        mutating func add(_ count: Int, _ now: Instant) {
            recent = pace(now) + count
            counted = now
            bytes += count
        }
    }

    /// The age from which on a body may be evicted.
    private static let grace = Duration.seconds(1)
    private let total: Int
    private var bodies: [Int: Body] = [:]
    private var next = 0

    /// - Parameter total: The limit for all bodies, in bytes.
    init(total: Int) {
        self.total = total
    }

    var held: Int { bodies.values.reduce(0) { $0 + $1.bytes } }

    /// Registers a body, and returns its id.
    mutating func begin(route: String, client: String, _ now: Instant) -> Int {
        next += 1
        bodies[next] = Body(route: route, client: client, began: now)
        return next
    }

    /// Reserves bytes of a body that were received.
    mutating func reserve(_ count: Int, for id: Int, _ now: Instant) -> ReservationResult {
        // It was evicted before.
        guard var body = bodies.removeValue(forKey: id) else { return ReservationResult(isGranted: false, evicted: []) }
        body.add(count, now)
        let before = bodies
        var evicted: [Int] = []
        while let rivals = rivals(of: body) {
            let slow = rivals.compactMap { id, rival -> (id: Int, pace: Int)? in
                guard rival.isComing, now - rival.began >= Self.grace else { return nil }
                return (id, rival.pace(now))
            }
            guard let slowest = slow.min(by: { $0.pace < $1.pace }), slowest.pace < body.pace(now) else {
                bodies = before
                return ReservationResult(isGranted: false, evicted: [])
            }
            bodies[slowest.id] = nil
            evicted.append(slowest.id)
        }
        bodies[id] = body
        return ReservationResult(isGranted: true, evicted: evicted)
    }

    /// Marks a body as complete, so that it can't be evicted.
    mutating func complete(_ id: Int) {
        bodies[id]?.isComing = false
    }

    /// Releases a body's memory.
    mutating func end(_ id: Int) {
        bodies[id] = nil
    }

    /// The registered bodies that compete with a new one; nil if there is room for it.
    private func rivals(of body: Body) -> [Int: Body]? {
        var (all, route, client) = (body.bytes, body.bytes, body.bytes)
        for other in bodies.values {
            all += other.bytes
            guard other.route == body.route else { continue }
            route += other.bytes
            if other.client == body.client { client += other.bytes }
        }
        guard route + client > total - all else { return nil }
        // The client exceeds its own share, so only its bodies compete.
        if client > total / 3 {
            return bodies.filter { $0.value.route == body.route && $0.value.client == body.client }
        }
        let uses: [String: Int] = bodies.values.reduce(into: [:]) { $0[$1.route, default: 0] += $1.bytes }
        return bodies.filter { $0.value.route == body.route || uses[$0.value.route] ?? 0 > route }
    }
}
