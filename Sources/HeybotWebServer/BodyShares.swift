/// Who may hold how many bytes of bodies at once, all requests together: those who send them have proved nothing yet.
///
/// What a route and a client of it take together stays under what is left free for others: of 128 MiB a route gets 64 and one
/// client of it 42, so that whatever arrives at one route, another's bodies are still read. If there is no room, the slowest
/// of those in the way lose their place, but never those of routes that take less.
struct BodyShares {
    /// What becomes of bytes that came.
    struct Grant: Hashable {
        /// Whether they may be held; otherwise their body counts no more.
        let isHeld: Bool
        /// The bodies that lost their place to them, and count no more.
        let dropped: [Int]
    }

    typealias Instant = ContinuousClock.Instant

    private struct Body {
        let route: String
        let client: String
        let began: Instant
        var bytes = 0
        var isComing = true
        /// The bytes that came lately: what came a second ago counts half.
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

    /// How long a body may take before it can lose its place.
    private static let grace = Duration.seconds(1)
    private let total: Int
    private var bodies: [Int: Body] = [:]
    private var next = 0

    /// - Parameter total: The most that is held at once, in bytes.
    init(total: Int) {
        self.total = total
    }

    var held: Int { bodies.values.reduce(0) { $0 + $1.bytes } }

    /// A body begins to come; returns what it is called here.
    mutating func begin(route: String, client: String, _ now: Instant) -> Int {
        next += 1
        bodies[next] = Body(route: route, client: client, began: now)
        return next
    }

    /// So many more bytes of a body came.
    mutating func take(_ count: Int, for id: Int, _ now: Instant) -> Grant {
        // It lost its place before.
        guard var body = bodies.removeValue(forKey: id) else { return Grant(isHeld: false, dropped: []) }
        body.add(count, now)
        let before = bodies
        var dropped: [Int] = []
        while let rivals = rivals(of: body) {
            let slow = rivals.compactMap { id, rival -> (id: Int, pace: Int)? in
                guard rival.isComing, now - rival.began >= Self.grace else { return nil }
                return (id, rival.pace(now))
            }
            guard let slowest = slow.min(by: { $0.pace < $1.pace }), slowest.pace < body.pace(now) else {
                bodies = before
                return Grant(isHeld: false, dropped: [])
            }
            bodies[slowest.id] = nil
            dropped.append(slowest.id)
        }
        bodies[id] = body
        return Grant(isHeld: true, dropped: dropped)
    }

    /// All of a body came: it no longer loses its place.
    mutating func complete(_ id: Int) {
        bodies[id]?.isComing = false
    }

    /// Nobody holds a body any more.
    mutating func end(_ id: Int) {
        bodies[id] = nil
    }

    /// The bodies that stand in the way of one that isn't among them; nil if there is room for it.
    private func rivals(of body: Body) -> [Int: Body]? {
        var (all, route, client) = (body.bytes, body.bytes, body.bytes)
        for other in bodies.values {
            all += other.bytes
            guard other.route == body.route else { continue }
            route += other.bytes
            if other.client == body.client { client += other.bytes }
        }
        guard route + client > total - all else { return nil }
        // Alone it couldn't have more.
        if client > total / 3 {
            return bodies.filter { $0.value.route == body.route && $0.value.client == body.client }
        }
        let uses: [String: Int] = bodies.values.reduce(into: [:]) { $0[$1.route, default: 0] += $1.bytes }
        return bodies.filter { $0.value.route == body.route || uses[$0.value.route] ?? 0 > route }
    }
}
