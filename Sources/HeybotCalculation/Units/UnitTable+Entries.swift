extension UnitTable {
    /// A unit and its names.
    ///
    /// Factors are exact by definition: those of metric units from the SI brochure
    /// (https://www.bipm.org/en/publications/si-brochure), those of customary ones from NIST Handbook 44, appendix C
    /// (https://www.nist.gov/pml/owm/nist-handbook-44-current-edition). A gallon is the US one, a ton the short one,
    /// a year the Julian one of 365.25 days and a month its twelfth.
    struct Entry {
        let unit: Unit
        let symbols: [String]
        let names: [String]

        /// - Parameters:
        ///   - symbols: The symbols, separated by commas; the first is printed.
        ///   - names: The names in lower case, separated by commas; a plural with s needn't be listed.
        ///   - ten: The exponent of ten for the factor.
        private init(
            _ symbols: String, _ names: String, _ dimension: Dimension, _ numerator: Int, _ denominator: UInt = 1,
            ten: Int = 0, zero: Number = .zero, plural: String? = nil, prefixes: Unit.Prefixes = .none
        ) {
            let factor = Rational(numerator, denominator) * .powerOfTen(ten)
            self.init(symbols, names, dimension, .exact(factor), zero, plural, prefixes)
        }

        private init(
            _ symbols: String, _ names: String, _ dimension: Dimension, _ factor: Number, _ zero: Number = .zero,
            _ plural: String? = nil, _ prefixes: Unit.Prefixes = .none
        ) {
            self.symbols = symbols.split(separator: ",").map(String.init)
            self.names = names.split(separator: ",").map(String.init)
            unit = Unit(
                symbol: self.symbols.first ?? "", plural: plural, dimension: dimension, factor: factor, zero: zero,
                prefixes: prefixes)
        }

        static let all = lengths + areas + volumes + masses + times + temperatures + angles + data + physical

        private static let lengths = [
            Entry("m", "metre,meter", .length, 1, prefixes: .decimal),
            Entry("in", "inch", .length, 254, ten: -4),
            Entry("ft", "foot,feet", .length, 3048, ten: -4),
            Entry("yd", "yard", .length, 9144, ten: -4),
            Entry("mi", "mile", .length, 1_609_344, ten: -3),
            Entry("nmi", "nautical mile", .length, 1852),
            Entry("mil", "thou", .length, 254, ten: -7),
            Entry("fathom", "", .length, 18_288, ten: -4, plural: "fathoms"),
            Entry("furlong", "", .length, 201_168, ten: -3, plural: "furlongs"),
            Entry("Å", "angstrom,ångström", .length, 1, ten: -10),
            Entry("au", "astronomical unit", .length, 149_597_870_700),
            Entry("ly", "light year,lightyear", .length, 9_460_730_472_580_800),
            // 648,000/π astronomical units.
            Entry("pc", "parsec", .length, .approximate(149_597_870_700 * 648_000 / Double.pi))
        ]

        private static let areas = [
            Entry("ha", "hectare", .area, 10_000),
            Entry("acre", "", .area, 40_468_564_224, ten: -7, plural: "acres")
        ]

        private static let volumes = [
            Entry("L,l", "litre,liter", .volume, 1, ten: -3, prefixes: .decimal),
            Entry("gal", "gallon,us gallon,us gal", .volume, 3_785_411_784, ten: -12),
            Entry("qt", "quart,us quart", .volume, 946_352_946, ten: -12),
            Entry("pt", "pint,us pint,us pt", .volume, 473_176_473, ten: -12),
            Entry("cup", "us cup", .volume, 473_176_473, 2, ten: -12, plural: "cups"),
            Entry("fl oz", "fluid ounce,us fl oz,us fluid ounce,floz", .volume, 473_176_473, 16, ten: -12),
            Entry("tbsp", "tablespoon", .volume, 473_176_473, 32, ten: -12),
            Entry("tsp", "teaspoon", .volume, 473_176_473, 96, ten: -12),
            Entry("bbl", "barrel,oil barrel", .volume, 158_987_294_928, ten: -12),
            Entry("imp gal", "imperial gallon,imperial gal,uk gallon,uk gal", .volume, 454_609, ten: -8),
            Entry("imp qt", "imperial quart,uk quart", .volume, 454_609, 4, ten: -8),
            Entry("imp pt", "imperial pint,imperial pt,uk pint,uk pt", .volume, 454_609, 8, ten: -8),
            Entry(
                "imp fl oz", "imperial fluid ounce,imperial fl oz,uk fluid ounce,uk fl oz", .volume, 454_609, 160,
                ten: -8)
        ]

        private static let masses = [
            Entry("g", "gram,gramme", .mass, 1, ten: -3, prefixes: .decimal),
            Entry("t", "tonne,metric ton", .mass, 1000),
            Entry("lb,lbs", "pound", .mass, 45_359_237, ten: -8),
            Entry("oz", "ounce", .mass, 45_359_237, 16, ten: -8),
            Entry("st", "stone", .mass, 635_029_318, ten: -8),
            Entry("gr", "grain", .mass, 6_479_891, ten: -11),
            Entry("oz t", "troy ounce,troy oz", .mass, 311_034_768, ten: -10),
            Entry("ct", "carat", .mass, 2, ten: -4),
            Entry("ton", "short ton,us ton", .mass, 90_718_474, ten: -5, plural: "tons"),
            Entry("long ton", "imperial ton,uk ton", .mass, 10_160_469_088, ten: -7, plural: "long tons")
        ]

        private static let times = [
            Entry("s", "second,sec,secs", .time, 1, prefixes: .decimal),
            Entry("min", "minute,mins", .time, 60),
            Entry("h", "hour,hr,hrs", .time, 3600),
            Entry("day", "d", .time, 86_400, plural: "days"),
            Entry("week", "wk,wks", .time, 604_800, plural: "weeks"),
            Entry("fortnight", "", .time, 1_209_600, plural: "fortnights"),
            Entry("month", "mo,mos", .time, 2_629_800, plural: "months"),
            Entry("year", "yr,yrs,y", .time, 31_557_600, plural: "years"),
            Entry("decade", "", .time, 315_576_000, plural: "decades"),
            Entry("century", "centuries", .time, 3_155_760_000, plural: "centuries"),
            Entry("millennium", "millennia", .time, 31_557_600_000, plural: "millennia")
        ]

        private static let temperatures = [
            Entry("K", "kelvin,°k", .temperature, 1, prefixes: .decimal),
            Entry(
                "°C,C,degC", "celsius,centigrade,degrees celsius,degree celsius,degrees c,deg c,° c",
                .temperature, 1, zero: Number(27_315, 100)),
            Entry(
                "°F,F,degF", "fahrenheit,degrees fahrenheit,degree fahrenheit,degrees f,deg f,° f",
                .temperature, 5, 9, zero: Number(45_967, 100)),
            Entry("°R,degR", "rankine,degrees rankine", .temperature, 5, 9)
        ]

        private static let angles = [
            Entry("°,deg", "degree", .angle, 1),
            Entry("arcmin", "arcminute,minute of arc", .angle, 1, 60),
            Entry("arcsec", "arcsecond,second of arc", .angle, 1, 3600),
            Entry("turn", "revolution,rev", .angle, 360, plural: "turns"),
            Entry("gon", "grad,gradian", .angle, 9, 10),
            Entry("rad", "radian", .angle, .approximate(180 / Double.pi)),
            Entry("mrad", "milliradian", .angle, .approximate(0.18 / Double.pi))
        ]

        private static let data = [
            Entry("bit,b", "", .data, 1, plural: "bits", prefixes: .decimalAndBinary),
            Entry("B", "byte", .data, 8, prefixes: .decimalAndBinary)
        ]

        private static let physical = [
            Entry("N", "newton", .force, 1, prefixes: .decimal),
            Entry("lbf", "pound force", .force, 44_482_216_152_605, ten: -13),
            Entry("kgf", "kilogram force", .force, 980_665, ten: -5),
            Entry("dyn", "dyne", .force, 1, ten: -5),
            Entry("J", "joule", .energy, 1, prefixes: .decimal),
            Entry("Wh", "watt hour,watthour", .energy, 3600, prefixes: .decimal),
            Entry("cal", "calorie", .energy, 4184, ten: -3, prefixes: .decimal),
            Entry("eV", "electronvolt", .energy, 1_602_176_634, ten: -28, prefixes: .decimal),
            Entry("BTU,Btu", "british thermal unit", .energy, 105_505_585_262, ten: -8),
            Entry("erg", "", .energy, 1, ten: -7),
            Entry("W", "watt", .power, 1, prefixes: .decimal),
            Entry("hp", "horsepower", .power, 74_569_987_158_227_022, ten: -14),
            Entry("PS", "metric horsepower", .power, 73_549_875, ten: -5),
            Entry("Pa", "pascal", .pressure, 1, prefixes: .decimal),
            Entry("bar", "", .pressure, 100_000, prefixes: .decimal),
            Entry("atm", "atmosphere", .pressure, 101_325),
            Entry("psi", "", .pressure, 44_482_216_152_605, 64_516, ten: -5),
            Entry("mmHg", "", .pressure, 133_322_387_415, ten: -9),
            Entry("Torr", "", .pressure, 101_325, 760),
            Entry("Hz", "hertz", .frequency, 1, prefixes: .decimal),
            Entry("rpm", "", .frequency, 1, 60),
            Entry("A", "ampere,amp", .current, 1, prefixes: .decimal),
            Entry("V", "volt", .voltage, 1, prefixes: .decimal),
            Entry("Ω,Ω", "ohm", .resistance, 1, prefixes: .decimal),
            Entry("Ah", "ampere hour,amp hour", .charge, 3600, prefixes: .decimal)
        ]
    }
}
