import Heybot

/// Reads the text a Hubot keeps its brain as, a piece at a time, and gives the entries it makes in Heybot's brain.
///
/// Each user becomes an entry of the collection `users`. A member of `_private`, or of the brain itself, becomes a
/// collection if it is an object with members, else a value on its own, under the names ``HubotMember`` gives them.
/// Values come as they stand, to the byte. Of two members with the same name both come, the later one later.
///
/// What is kept is what has come of one entry; a value or a name may have ``BrainLimits/valueBytes``.
struct HubotBrainReader {
    typealias Entry = (key: StoreKey, value: [UInt8])

    /// An object whose members we tell apart.
    private enum Object {
        case brain, users, ofPrivate, collection(String)
    }

    /// What the bytes being read are kept for.
    private enum Taking {
        case nothing, name, value
    }

    private var scanner = JSONScanner()
    /// Those we are in, from the outside in, and the names of their members we are in.
    private var objects: [Object] = []
    private var path: [String] = []
    private var taking = Taking.nothing
    /// What earlier pieces had of the name or the value that is being taken.
    private var taken: [UInt8] = []
    /// How long the earlier pieces were.
    private var offset = 0
    private var failure: HubotBrainError?

    /// The entries that became complete with this piece, in their order.
    ///
    /// If something is wrong in it after some entries, they come first and the error with the next call. After an
    /// error it comes again each time.
    mutating func read(_ piece: [UInt8]) throws(HubotBrainError) -> [Entry] {
        if let failure { throw failure }
        var entries: [Entry] = []
        do throws(HubotBrainError) {
            try read(piece, into: &entries)
        } catch {
            failure = error
            if entries.isEmpty { throw error }
        }
        return entries
    }

    /// Says that the text ends here; throws if it may not.
    mutating func finish() throws(HubotBrainError) {
        if let failure { throw failure }
        do throws(JSONMistake) {
            try scanner.finish()
        } catch {
            let error = problem(.expected(error.expected), at: 0)
            failure = error
            throw error
        }
    }

    private mutating func read(_ piece: [UInt8], into entries: inout [Entry]) throws(HubotBrainError) {
        var position = 0
        // If in this piece what is being taken begins, or goes on.
        var start = 0
        while let event = try next(in: piece, at: &position) {
            switch event {
            case .nameBegins:
                if taking == .value {
                    guard isMembersName else { continue }
                    open(.collection(member.name))
                }
                (taking, start) = (.name, position)
            case .nameEnds:
                guard taking == .name else { continue }
                path.append(JSONText.unescaped(try take(piece[start..<(position - 1)], at: position - 1)))
                scanner.deepest = scanner.depth + JSONScanner.deepestValue
            case .valueBegins(let isObject):
                guard taking == .nothing else { continue }
                if let object = try object(isObject: isObject, at: position - 1) {
                    open(object)
                } else {
                    (taking, start) = (.value, position - 1)
                }
            case .valueEnds:
                if taking == .nothing {
                    objects.removeLast()
                    _ = path.popLast()
                } else if scanner.depth == objects.count {
                    let value = try take(piece[start..<position], at: position)
                    entries.append((key, Array(value)))
                    path.removeLast()
                }
            }
        }
        if taking != .nothing {
            try keep(piece[start...], at: piece.count)
        }
        offset += piece.count
    }

    private mutating func next(
        in piece: [UInt8], at position: inout Int
    ) throws(HubotBrainError) -> JSONScanner.Event? {
        do throws(JSONMistake) {
            return try scanner.next(in: piece, at: &position)
        } catch {
            throw problem(.expected(error.expected), at: position)
        }
    }

    // MARK: Where we are

    /// The object that begins here, if it is one whose members we tell apart from the first byte on.
    private func object(isObject: Bool, at position: Int) throws(HubotBrainError) -> Object? {
        let object: Object
        switch objects.last {
        case nil: object = .brain
        case .brain where path.last == "users": object = .users
        case .brain where path.last == "_private": object = .ofPrivate
        default: return nil
        }
        guard isObject else { throw problem(.expected("expected an object, in { and }"), at: position) }
        return object
    }

    /// Whether the name that begins is the first in a value that thereby becomes a collection.
    private var isMembersName: Bool {
        switch objects.last {
        case .brain, .ofPrivate: scanner.depth == objects.count + 1
        default: false
        }
    }

    /// The member of `_private` or of the brain itself that is being read.
    private var member: HubotMember {
        let name = path.last ?? ""
        return if case .brain = objects.last { .ofData(name) } else { .ofPrivate(name) }
    }

    /// Names the entry whose value is being read.
    private var key: StoreKey {
        switch objects.last {
        case .users: StoreKey(collection: HubotMember.users.name, name: path.last ?? "")
        case .collection(let collection): StoreKey(collection: collection, name: path.last ?? "")
        default: StoreKey(name: member.name)
        }
    }

    private mutating func open(_ object: Object) {
        objects.append(object)
        (taking, taken) = (.nothing, [])
    }

    // MARK: Bytes

    /// All of the name or the value whose last part this is.
    private mutating func take(_ part: ArraySlice<UInt8>, at position: Int) throws(HubotBrainError) -> ArraySlice<UInt8>
    {
        defer { (taking, taken) = (.nothing, []) }
        if taken.isEmpty {
            try check(part.count, at: position)
            return part
        }
        try keep(part, at: position)
        return taken[...]
    }

    private mutating func keep(_ part: ArraySlice<UInt8>, at position: Int) throws(HubotBrainError) {
        try check(taken.count + part.count, at: position)
        taken += part
    }

    private func check(_ count: Int, at position: Int) throws(HubotBrainError) {
        if count > BrainLimits.valueBytes {
            throw problem(taking == .name ? .nameTooLong : .valueTooLong, at: position)
        }
    }

    private func problem(_ problem: HubotBrainError.Problem, at position: Int) -> HubotBrainError {
        HubotBrainError(offset: offset + position, path: path, problem: problem)
    }
}
