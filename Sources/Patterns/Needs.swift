package struct Needs: Hashable, Sendable {
    package var pieces: [[[UInt8]]] = []
    package var bytes: [ByteSet] = []
    package var leastLength = 0
    package var only: ByteSet?
    package static let none = Needs()
    package var isNothing: Bool { self == .none }
    package init() {}
}
