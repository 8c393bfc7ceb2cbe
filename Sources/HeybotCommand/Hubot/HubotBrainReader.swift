import Heybot

/// Parses the JSON text of a Hubot's brain in chunks, and returns its entries for Heybot's brain.
///
/// Each user becomes an entry of the collection `users`. A member of `_private`, or of the brain itself, becomes a
/// collection if it is an object with members, otherwise a single value; ``HubotBrainMember`` has the names. Values keep
/// their exact bytes. If two members have the same name, both are returned in their order.
///
/// Only the current entry is kept in memory. A value or a name is limited to ``BrainLimits/valueBytes``.
struct HubotBrainReader {
    typealias Entry = (key: StoreKey, value: [UInt8])

    /// An open object whose members are parsed individually.
    private enum Object {
        case brain, users, ofPrivate, collection(String)
    }

    /// What the current bytes belong to.
    private enum CapturedToken {
        case nothing, name, value
    }

    private var scanner = JSONScanner()
    /// The open objects, from the outside in.
    private var objects: [Object] = []
    /// The names of the open members, from the outside in.
    private var path: [String] = []
    private var capturedToken = CapturedToken.nothing
    /// The part of the current name or value from earlier chunks.
    private var captured: [UInt8] = []
    /// The length of earlier chunks.
    private var offset = 0
    private var failure: HubotBrainReaderError?

    /// Returns the entries that are complete with this chunk, in their order.
    ///
    /// If an error follows some entries, they are returned first and the next call throws. After an error each call
    /// throws it again.
    mutating func read(_ piece: [UInt8]) throws(HubotBrainReaderError) -> [Entry] {
        if let failure { throw failure }
        var entries: [Entry] = []
        do throws(HubotBrainReaderError) {
            try read(piece, into: &entries)
        } catch {
            failure = error
            if entries.isEmpty { throw error }
        }
        return entries
    }

    /// Ends the text.
    ///
    /// - Throws: An error if the text is incomplete.
    mutating func finish() throws(HubotBrainReaderError) {
        if let failure { throw failure }
        do throws(JSONSyntaxError) {
            try scanner.finish()
        } catch {
            let error = problem(.expected(error.expected), at: 0)
            failure = error
            throw error
        }
    }

    private mutating func read(_ piece: [UInt8], into entries: inout [Entry]) throws(HubotBrainReaderError) {
        var position = 0
        // The start of the captured bytes in this chunk.
        var start = 0
        while let event = try next(in: piece, at: &position) {
            switch event {
            case .nameBegins:
                if capturedToken == .value {
                    guard isMembersName else { continue }
                    open(.collection(member.name))
                }
                (capturedToken, start) = (.name, position)
            case .nameEnds:
                guard capturedToken == .name else { continue }
                path.append(
                    JSONStringEscaping.unescaped(try finishCapture(piece[start..<(position - 1)], at: position - 1)))
                scanner.maxDepth = scanner.depth + JSONScanner.maxValueDepth
            case .valueBegins(let isObject):
                guard capturedToken == .nothing else { continue }
                if let object = try object(isObject: isObject, at: position - 1) {
                    open(object)
                } else {
                    (capturedToken, start) = (.value, position - 1)
                }
            case .valueEnds:
                if capturedToken == .nothing {
                    objects.removeLast()
                    _ = path.popLast()
                } else if scanner.depth == objects.count {
                    let value = try finishCapture(piece[start..<position], at: position)
                    entries.append((key, Array(value)))
                    path.removeLast()
                }
            }
        }
        if capturedToken != .nothing {
            try continueCapture(piece[start...], at: piece.count)
        }
        offset += piece.count
    }

    private mutating func next(
        in piece: [UInt8], at position: inout Int
    ) throws(HubotBrainReaderError) -> JSONScanner.Event? {
        do throws(JSONSyntaxError) {
            return try scanner.next(in: piece, at: &position)
        } catch {
            throw problem(.expected(error.expected), at: position)
        }
    }

    // MARK: The position in the brain

    /// The object that begins here, if its members are parsed individually in any case.
    private func object(isObject: Bool, at position: Int) throws(HubotBrainReaderError) -> Object? {
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

    /// Whether the name that begins is the first member of a value, which thereby is a collection.
    private var isMembersName: Bool {
        switch objects.last {
        case .brain, .ofPrivate: scanner.depth == objects.count + 1
        default: false
        }
    }

    /// The current member of `_private` or of the brain itself.
    private var member: HubotBrainMember {
        let name = path.last ?? ""
        return if case .brain = objects.last { .ofData(name) } else { .ofPrivate(name) }
    }

    /// The key of the current entry.
    private var key: StoreKey {
        switch objects.last {
        case .users: StoreKey(collection: HubotBrainMember.users.name, name: path.last ?? "")
        case .collection(let collection): StoreKey(collection: collection, name: path.last ?? "")
        default: StoreKey(name: member.name)
        }
    }

    private mutating func open(_ object: Object) {
        objects.append(object)
        (capturedToken, captured) = (.nothing, [])
    }

    // MARK: Bytes

    /// Returns the complete name or value that ends with this part.
    private mutating func finishCapture(_ part: ArraySlice<UInt8>, at position: Int) throws(HubotBrainReaderError)
        -> ArraySlice<UInt8>
    {
        defer { (capturedToken, captured) = (.nothing, []) }
        if captured.isEmpty {
            try check(part.count, at: position)
            return part
        }
        try continueCapture(part, at: position)
        return captured[...]
    }

    private mutating func continueCapture(_ part: ArraySlice<UInt8>, at position: Int) throws(HubotBrainReaderError) {
        try check(captured.count + part.count, at: position)
        captured += part
    }

    private func check(_ count: Int, at position: Int) throws(HubotBrainReaderError) {
        if count > BrainLimits.valueBytes {
            throw problem(capturedToken == .name ? .nameTooLong : .valueTooLong, at: position)
        }
    }

    private func problem(_ problem: HubotBrainReaderError.Problem, at position: Int) -> HubotBrainReaderError {
        HubotBrainReaderError(offset: offset + position, path: path, problem: problem)
    }
}
