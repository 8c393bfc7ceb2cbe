extension PositionAutomaton {
    /// A shortest text that is matched in two ways; nil if there is none, or if the steps run out.
    ///
    /// The search runs two copies of the automaton on the same text. A state is the pair of their positions. It is reached in two
    /// ways once the positions have differed, or once a step was taken that has two ways.
    func ambiguousText(steps: inout Int) -> String? {
        var search = AutomatonPairSearch(self)
        return search.text(stepsLeft: &steps)
    }
}

extension PositionAutomaton.Symbol {
    /// Whether both can match the same text.
    ///
    /// An opaque symbol only overlaps with itself.
    fileprivate func overlaps(with other: Self) -> Bool {
        switch (self, other) {
        case (.character(let ones), .character(let others)): ones.intersects(others)
        case (.opaque(_, let place), .opaque(_, let otherPlace)): place == otherPlace
        default: false
        }
    }
}

/// The breadth-first search through the pairs of positions.
private struct AutomatonPairSearch {
    private let automaton: PositionAutomaton
    private let size: Int
    /// By state: the previous state; the state itself if it is a first one; negative if it wasn't reached.
    private var previous: [Int32]
    private var queue: [Int32] = []

    init(_ automaton: PositionAutomaton) {
        self.automaton = automaton
        size = automaton.symbols.count
        previous = Array(repeating: -1, count: size * size + size)
    }

    mutating func text(stepsLeft: inout Int) -> String? {
        stepsLeft -= previous.count / 8 + automaton.first.count * automaton.first.count
        guard stepsLeft > 0 else { return nil }
        visitSame(automaton.first, before: nil)
        var next = 0
        while next < queue.count {
            let state = Int(queue[next])
            next += 1
            if isEnd(state) { return text(endingAt: state) }
            let (one, other) = positions(of: state)
            let (ones, others) = (automaton.steps[one], automaton.steps[other])
            if state >= size * size {
                stepsLeft -= ones.count
                for step in ones { visit(size * size + step.position, before: state) }
            } else {
                stepsLeft -= ones.count * others.count
                guard stepsLeft > 0 else { return nil }
                if one == other {
                    visitSame(ones, before: state)
                } else {
                    visitDifferent(ones, others, before: state)
                }
            }
        }
        return nil
    }

    private mutating func visitSame(_ steps: [AutomatonTransition], before state: Int?) {
        for (index, step) in steps.enumerated() {
            let position = step.position
            visit(step.ways > 1 ? size * size + position : position * size + position, before: state)
            for other in steps[(index + 1)...] { visitPair(position, other.position, before: state) }
        }
    }

    private mutating func visitDifferent(
        _ ones: [AutomatonTransition], _ others: [AutomatonTransition], before state: Int
    ) {
        for one in ones {
            for other in others {
                if one.position == other.position {
                    visit(size * size + one.position, before: state)
                } else {
                    visitPair(one.position, other.position, before: state)
                }
            }
        }
    }

    private mutating func visitPair(_ one: Int, _ other: Int, before state: Int?) {
        let pair = min(one, other) * size + max(one, other)
        guard previous[pair] < 0, automaton.symbols[one].overlaps(with: automaton.symbols[other]) else { return }
        visit(pair, before: state)
    }

    private mutating func visit(_ state: Int, before earlier: Int?) {
        guard previous[state] < 0 else { return }
        previous[state] = Int32(earlier ?? state)
        queue.append(Int32(state))
    }

    private func positions(of state: Int) -> (Int, Int) {
        state < size * size ? (state / size, state % size) : (state - size * size, state - size * size)
    }

    private func isEnd(_ state: Int) -> Bool {
        let (one, other) = positions(of: state)
        guard one == other else { return automaton.endings[one] > 0 && automaton.endings[other] > 0 }
        return automaton.endings[one] > (state < size * size ? 1 : 0)
    }

    private func text(endingAt end: Int) -> String {
        var (state, pieces) = (end, [String]())
        while true {
            let (one, other) = positions(of: state)
            switch (automaton.symbols[one], automaton.symbols[other]) {
            case (.character(let ones), .character(let others)):
                pieces.append(ones.intersection(others).example.map { String($0) } ?? "")
            case (.opaque(let tree, _), _), (_, .opaque(let tree, _)): pieces.append(tree.example)
            }
            let earlier = Int(previous[state])
            guard earlier != state else { break }
            state = earlier
        }
        return pieces.reversed().joined()
    }
}
