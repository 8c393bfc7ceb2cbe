import Heybot

/// Numbers the timers of a script, and lists them by person and room, so that they are found without reading all timers.
///
/// In a hundred further lists there are all timers, so that they can be limited; none of these lists gets long.
///
/// A list may also have timers that don't exist any more. They are removed when the list is read, or before it counts as full.
struct TimerDirectory: Sendable {
    /// A person, a room, or another reason to list a timer.
    enum Subject: Hashable, Sendable {
        case user(User.ID)
        case room(Room.ID)
        /// Where anonymous users are connected from, who can change their ids.
        case origin(User.ID)
        /// A hundredth of all timers: those whose numbers end with these two digits.
        case hundredth(Int)

        fileprivate var key: String {
            switch self {
            case .user(let id): "user \(id)"
            case .room(let id): "room \(id)"
            case .origin(let id): "origin \(id)"
            case .hundredth(let digits): "all \(digits)"
            }
        }
    }

    private let lists: BrainCollection<[String]>
    private let last: BrainKey<Int>

    /// - Parameter name: The name of the script in the brain.
    init(_ name: String) {
        lists = BrainCollection("\(name).timers")
        last = BrainKey("\(name).last")
    }

    /// Returns a number that no other timer has had.
    func nextNumber(_ brain: Brain) async throws -> Int {
        try await brain.update(last, default: 0) { last in
            last &+= 1
            return last
        }
    }

    /// Returns what the timers of some people or rooms are found to be, by their ids.
    ///
    /// - Parameter find: Returns what is known of a timer; nil if it doesn't exist.
    func timers<Entry>(
        of subjects: [Subject], _ brain: Brain, _ find: (String) async throws -> Entry?
    ) async throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for subject in subjects {
            var missing: Set<String> = []
            for id in try await brain.recall(lists, subject.key) ?? [] where entries[id] == nil {
                if let entry = try await find(id) {
                    entries[id] = entry
                } else {
                    missing.insert(id)
                }
            }
            if !missing.isEmpty { try await remove(missing, from: [subject], brain) }
        }
        return entries
    }

    /// Adds a timer to the list of a person or a room.
    ///
    /// - Parameters:
    ///   - most: The maximum number of timers in the list.
    ///   - find: As for ``timers(of:_:_:)``.
    /// - Returns: False if the list is full.
    func add<Entry>(
        _ id: String, to subject: Subject, atMost most: Int, _ brain: Brain, _ find: (String) async throws -> Entry?
    ) async throws -> Bool {
        if try await add(id, to: subject, atMost: most, brain) { return true }
        _ = try await timers(of: [subject], brain, find)
        return try await add(id, to: subject, atMost: most, brain)
    }

    /// Adds a timer to the lists of people and rooms, full or not.
    func restore(_ id: String, to subjects: [Subject], _ brain: Brain) async throws {
        for subject in subjects { _ = try await add(id, to: subject, atMost: .max, brain) }
    }

    /// Removes timers from the lists of people and rooms.
    func remove(_ removed: Set<String>, from subjects: [Subject], _ brain: Brain) async throws {
        for subject in subjects {
            try await brain.update(lists, subject.key) { (ids: inout [String]?) -> Void in
                let rest = (ids ?? []).filter { !removed.contains($0) }
                ids = rest.isEmpty ? nil : rest
            }
        }
    }

    private func add(_ id: String, to subject: Subject, atMost most: Int, _ brain: Brain) async throws -> Bool {
        try await brain.update(lists, subject.key, default: []) { (ids: inout [String]) -> Bool in
            if ids.contains(id) { return true }
            guard ids.count < most else { return false }
            ids.append(id)
            return true
        }
    }
}

extension Message {
    /// What identifies an anonymous author who can change their id at any time; nil if there is no such thing.
    var anonymousOrigin: User.ID? {
        user.isAnonymous ? origin.map { User.ID(adapter: room.id.adapter, value: $0) } : nil
    }
}
