/// Looks up units by symbol or name.
enum UnitTable {
    /// Looks up a unit by symbol or name, singular or plural.
    ///
    /// Several words are separated by single spaces.
    ///
    /// Symbols are matched case-sensitively first, so that Mb and MB differ, and then ignoring case. Lower-case kb, mb and so
    /// on are bytes, as people mean them.
    static func unit(named text: String) -> CompoundUnit? {
        if let unit = compounds[text] { return CompoundUnit(known: unit) }
        if let unit = single(text) { return CompoundUnit(unit) }
        let folded = text.lowercased()
        if let unit = compounds[folded] { return CompoundUnit(known: unit) }
        return powered(folded)
    }

    /// Returns the unit for results whose own unit would be a product, such as joules.
    static func coherent(_ dimension: Dimension) -> Unit? {
        coherentUnits[dimension]
    }

    private static let coherentUnits: [Dimension: Unit] = {
        let symbols = ["m", "kg", "s", "K", "°", "bit", "A", "N", "J", "W", "Pa", "V", "Ω"]
        return Dictionary(symbols.compactMap(single).map { ($0.dimension, $0) }) { first, _ in first }
    }()

    // MARK: Single units

    private static let bySymbol = Dictionary(
        Entry.all.flatMap { entry in entry.symbols.map { ($0, entry.unit) } }
    ) { first, _ in first }

    private static let byFoldedSymbol = Dictionary(
        Entry.all.flatMap { entry in entry.symbols.filter { $0 != "m" }.map { ($0.lowercased(), entry.unit) } }
    ) { first, _ in first }

    /// Symbols such as acre are also names.
    private static let byName = Dictionary(
        Entry.all.flatMap { entry in
            (entry.names + entry.symbols.map { $0.lowercased() }.filter { $0.count > 2 }).map { ($0, entry.unit) }
        }
    ) { first, _ in first }

    private static func single(_ text: String) -> Unit? {
        if let unit = bySymbol[text] ?? prefixed(text, by: \.symbol, of: { bySymbol[$0] }) { return unit }
        let folded = text.lowercased()
        if let unit = named(folded) ?? prefixed(folded, by: \.name, of: named) { return unit }
        if let unit = byFoldedSymbol[folded] ?? prefixed(text, by: \.symbol, of: { byFoldedSymbol[$0.lowercased()] }) {
            return unit
        }
        return prefixed(folded, by: { $0.symbol.lowercased() }, of: { bySymbol[$0] ?? byFoldedSymbol[$0] })
    }

    /// Looks up a unit by name, singular or plural.
    private static func named(_ name: String) -> Unit? {
        if let unit = byName[name] { return unit }
        for ending in ["s", "es"] where name.hasSuffix(ending) {
            let singular = String(name.dropLast(ending.count))
            if singular.count > 2, let unit = byName[singular] { return unit }
        }
        return nil
    }

    private static func prefixed(
        _ text: String, by spelling: (UnitPrefix) -> String, of unit: (String) -> Unit?
    ) -> Unit? {
        for prefix in UnitPrefix.all {
            let spelled = spelling(prefix)
            guard !spelled.isEmpty, text.count > spelled.count, text.hasPrefix(spelled),
                let unit = unit(String(text.dropFirst(spelled.count))), prefix.fits(unit)
            else { continue }
            return prefix.applied(to: unit)
        }
        return nil
    }

    // MARK: Units made of units

    /// Looks up "square meter", "cubic inches", "sq ft", and "m2".
    private static func powered(_ folded: String) -> CompoundUnit? {
        let powers = ["square ": 2, "sq ": 2, "cubic ": 3, "cu ": 3]
        for (word, power) in powers where folded.hasPrefix(word) {
            return length(String(folded.dropFirst(word.count)), power)
        }
        switch folded.last {
        case "2": return length(String(folded.dropLast()), 2)
        case "3": return length(String(folded.dropLast()), 3)
        default: return nil
        }
    }

    private static func length(_ name: String, _ power: Int) -> CompoundUnit? {
        guard let unit = single(name), unit.dimension == .length else { return nil }
        return CompoundUnit(known: [.init(unit: unit, power: power)])
    }

    /// Names of units that are products of others, so that mph times hours gives miles.
    private static let compounds: [String: [CompoundUnit.Term]] = {
        var compounds: [String: [CompoundUnit.Term]] = [:]
        func add(_ names: String, _ parts: [(symbol: String, power: Int)]) {
            let terms = parts.compactMap { part in single(part.symbol).map { unit in (unit, part.power) } }
            for name in names.split(separator: ",") {
                compounds[String(name)] = terms.map { CompoundUnit.Term(unit: $0.0, power: $0.1) }
            }
        }
        add("mph", [("mi", 1), ("h", -1)])
        add("kph,kmh,kmph", [("km", 1), ("h", -1)])
        add("kn,kt,kts,knot,knots", [("nmi", 1), ("h", -1)])
        add("fps", [("ft", 1), ("s", -1)])
        add("cc", [("cm", 3)])
        add("sqm", [("m", 2)])
        add("sqft", [("ft", 2)])
        add("mhz", [("MHz", 1)])
        add("bps", [("bit", 1), ("s", -1)])
        add("Bps", [("B", 1), ("s", -1)])
        for prefix in ["k", "M", "G", "T", "P"] {
            let small = prefix.lowercased()
            add("\(small)b", [("\(prefix)B", 1)])
            add("\(small)bps", [("\(prefix)bit", 1), ("s", -1)])
            add("\(prefix)Bps", [("\(prefix)B", 1), ("s", -1)])
        }
        return compounds
    }()
}

/// A unit prefix, such as kilo.
private struct UnitPrefix {
    let symbol: String
    let name: String
    let factor: Rational
    let isBinary: Bool

    static let all: [UnitPrefix] = {
        let decimal: [(String, String, Int)] = [
            ("k", "kilo", 3), ("K", "", 3), ("M", "mega", 6), ("G", "giga", 9), ("T", "tera", 12), ("P", "peta", 15),
            ("E", "exa", 18), ("Z", "zetta", 21), ("Y", "yotta", 24), ("R", "ronna", 27), ("Q", "quetta", 30),
            ("da", "deca", 1), ("da", "deka", 1), ("h", "hecto", 2), ("d", "deci", -1), ("c", "centi", -2),
            ("m", "milli", -3), ("µ", "micro", -6), ("μ", "", -6), ("u", "", -6), ("n", "nano", -9),
            ("p", "pico", -12), ("f", "femto", -15), ("a", "atto", -18), ("z", "zepto", -21), ("y", "yocto", -24),
            ("r", "ronto", -27), ("q", "quecto", -30)
        ]
        let binary: [(String, String, UInt)] = [
            ("Ki", "kibi", 10), ("Mi", "mebi", 20), ("Gi", "gibi", 30), ("Ti", "tebi", 40), ("Pi", "pebi", 50),
            ("Ei", "exbi", 60), ("Zi", "zebi", 70), ("Yi", "yobi", 80)
        ]
        return binary.map {
            UnitPrefix(symbol: $0.0, name: $0.1, factor: Rational(2).power($0.2), isBinary: true)
        }
            + decimal.map {
                UnitPrefix(symbol: $0.0, name: $0.1, factor: .powerOfTen($0.2), isBinary: false)
            }
    }()

    /// Whether a unit allows the prefix: there is no millibit.
    func fits(_ unit: Unit) -> Bool {
        switch unit.prefixes {
        case .none: false
        case .decimal: !isBinary && symbol != "K"
        case .decimalAndBinary: factor > Rational(100)
        }
    }

    func applied(to unit: Unit) -> Unit? {
        guard case .exact(let factor) = unit.factor else { return nil }
        let printed = ["K": "k", "μ": "µ", "u": "µ"][symbol] ?? symbol
        return Unit(
            symbol: printed + unit.symbol, dimension: unit.dimension, factor: .exact(factor * self.factor))
    }
}
