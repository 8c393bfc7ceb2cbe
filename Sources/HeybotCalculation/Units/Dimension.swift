/// The dimension of a unit: the powers of its base quantities.
struct Dimension: Hashable {
    private var powers: SIMD8<Int>

    private init(_ powers: SIMD8<Int>) {
        self.powers = powers
    }

    static let none = Dimension(.zero)
    static let length = basic(0)
    static let mass = basic(1)
    static let time = basic(2)
    static let temperature = basic(3)
    /// Angle is a dimension of its own, so that degrees are exact.
    static let angle = basic(4)
    static let data = basic(5)
    static let current = basic(6)

    static let area = length.power(2)
    static let volume = length.power(3)
    static let speed = length * time.power(-1)
    static let acceleration = speed * time.power(-1)
    static let force = mass * acceleration
    static let pressure = force * area.power(-1)
    static let energy = force * length
    static let power = energy * time.power(-1)
    static let frequency = time.power(-1)
    static let voltage = power * current.power(-1)
    static let resistance = voltage * current.power(-1)
    static let charge = current * time
    static let dataRate = data * time.power(-1)

    private static func basic(_ index: Int) -> Dimension {
        var powers = SIMD8<Int>.zero
        powers[index] = 1
        return Dimension(powers)
    }

    static func * (left: Dimension, right: Dimension) -> Dimension {
        Dimension(left.powers &+ right.powers)
    }

    func power(_ exponent: Int) -> Dimension {
        Dimension(powers &* exponent)
    }

    /// The name with its article, as in "km is a length".
    var kind: String {
        Self.kinds[self] ?? "something else"
    }

    private static let kinds: [Dimension: String] = [
        none: "a plain number", length: "a length", mass: "a mass", time: "a time", temperature: "a temperature",
        angle: "an angle", data: "an amount of data", current: "an electric current", area: "an area",
        volume: "a volume", speed: "a speed", acceleration: "an acceleration", force: "a force",
        pressure: "a pressure", energy: "an energy", power: "a power", frequency: "a frequency",
        voltage: "a voltage", resistance: "an electric resistance", charge: "an electric charge",
        dataRate: "a data rate"
    ]
}
