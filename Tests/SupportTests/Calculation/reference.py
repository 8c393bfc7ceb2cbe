#!/usr/bin/env python3
"""Writes reference.json: expressions, and what they come to by other tools.

Arithmetic is Python's own (fractions), roots and logarithms are of decimal with 60 digits, units are those of pint
(0.25 or newer: pip install pint), with exact factors. The same seed gives the same file:

    python3 reference.py > reference.json
"""
import json
import math
import random
import re
from decimal import Decimal, getcontext
from fractions import Fraction

import pint

getcontext().prec = 60
chance = random.Random(20_260_101)
rows = []
LONGEST = 10**60


def exact(text, value):
    value = Fraction(value)
    rows.append({"text": text, "exact": str(value)})


def approximate(text, value):
    # What no double holds is refused, which is no matter of this.
    if math.isinf(float(value)):
        return
    rows.append({"text": text, "approximate": float(value)})


def printed(text, value):
    rows.append({"text": text, "printed": value})


# Arithmetic: what Python reads the same way.


def literal():
    kind = chance.randrange(4)
    if kind == 0:
        return str(chance.randrange(10))
    if kind == 1:
        return str(chance.randrange(10**chance.randrange(1, 13)))
    if kind == 2:
        return f"{chance.randrange(1000)}.{chance.randrange(1000)}"
    return f"{chance.randrange(1, 99)}e{chance.randrange(-6, 7)}"


def infix(depth):
    if depth == 0 or chance.random() < 0.15:
        return literal()
    kind = chance.randrange(10)
    if kind < 6:
        sign = chance.choice(["+", "-", "*", "/", " + ", " - ", " * ", " / ", " mod "])
        return infix(depth - 1) + sign + infix(depth - 1)
    if kind < 8:
        return f"({infix(depth - 1)})"
    if kind == 8:
        return f"-{infix(depth - 1)}"
    exponent = chance.choice(["2", "3", "-2", "-1", "0", "2^2", "-2^1", "(4-1)"])
    base = chance.choice([str(chance.randrange(1, 60)), f"({infix(depth - 1)})", "-3", "2.5"])
    return f"{base}^{exponent}"


def by_python(text):
    """The text's value, by Python's own grammar."""
    code = re.sub(r"\d+(\.\d+)?(e-?\d+)?", lambda number: f"Fraction('{number[0]}')", text)
    return eval(code.replace("^", "**").replace(" mod ", " % "))


def arithmetic(count):
    done = 0
    while done < count:
        text = infix(chance.randrange(1, 5))
        # "2--3" and the like are said with a space, and are no other sign.
        if len(text) > 200 or "--" in text:
            continue
        try:
            value = by_python(text)
        except ZeroDivisionError:
            continue
        if not isinstance(value, Fraction) or abs(value.numerator) > LONGEST or value.denominator > LONGEST:
            continue
        spoken = text
        if chance.random() < 0.3:
            spoken = text.replace("*", "×").replace("/", "÷").replace(" - ", " − ")
        exact(spoken, value)
        done += 1


# Functions.


def integers():
    for _ in range(40):
        one, other = chance.randrange(1, 10**9), chance.randrange(1, 10**6)
        exact(f"gcd({one}, {other})", math.gcd(one, other))
        exact(f"lcm({one}, {other})", math.lcm(one, other))
    for _ in range(30):
        number = chance.randrange(3000)
        chosen = chance.randrange(number + 1)
        exact(f"choose({number}, {chosen})", math.comb(number, chosen))
        number = chance.randrange(400)
        exact(f"{number}!", math.factorial(number))
    for _ in range(20):
        root = Fraction(chance.randrange(1, 10**6), chance.randrange(1, 10**3))
        exact(f"sqrt({root * root})", root)
        exact(f"({root**3})^(1/3)", root)
        exact(f"({root * root})^1.5", root**3)
    for _ in range(20):
        value = Fraction(chance.randrange(-(10**6), 10**6), 1000)
        exact(f"floor({value})", math.floor(value))
        exact(f"ceil({value})", math.ceil(value))
        exact(f"abs({value})", abs(value))


def reals():
    for _ in range(30):
        value = Decimal(chance.randrange(2, 10**9)) / 1000
        approximate(f"sqrt({value}) + 0", value.sqrt())
        approximate(f"ln({value})", value.ln())
        approximate(f"log({value})", value.log10())
        approximate(f"log2 {value}", value.ln() / Decimal(2).ln())
        small = value / 10_000
        approximate(f"exp(-{small})", (-small).exp())
        approximate(f"{value}^{small}", (value.ln() * small).exp())
    functions = ["sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"]
    for _ in range(10):
        value = chance.randrange(-999, 999) / 1000
        for name in functions:
            approximate(f"{name}({value})", getattr(math, name)(value))
        degrees = chance.randrange(1, 89)
        approximate(f"sin({degrees}°)", math.sin(math.radians(degrees)))
        approximate(f"cos {degrees} deg", math.cos(math.radians(degrees)))
    approximate("2 pi", 2 * math.pi)
    approximate("e^2", math.exp(2))
    approximate("tau", math.tau)
    approximate("phi", (1 + 5**0.5) / 2)


def bases():
    for _ in range(15):
        value = chance.randrange(10**chance.randrange(1, 20))
        printed(f"{value} in hex", hex(value))
        printed(f"{value} to binary", bin(value))
        printed(f"{value} as octal", oct(value))
        exact(f"{value:#x}", value)
        exact(f"{value:,} + 1", value + 1)


# Units: how they are typed, and what pint calls them.

UNITS = {
    "length": {
        "m": "meter", "km": "kilometer", "centimetres": "centimeter", "mm": "millimeter", "µm": "micrometer",
        "inches": "inch", "in": "inch", "ft": "foot", "feet": "foot", "yards": "yard", "miles": "mile", "mi": "mile",
        "nautical miles": "nautical_mile", "furlongs": "international_furlong", "fathoms": "international_fathom",
        "light years": "light_year", "au": "astronomical_unit", "nm": "nanometer", "angstrom": "angstrom",
    },
    "area": {
        "m²": "meter**2", "km^2": "kilometer**2", "square feet": "foot**2", "sq in": "inch**2", "ha": "hectare",
        "acres": "international_acre", "square miles": "mile**2", "cm2": "centimeter**2",
    },
    "volume": {
        "L": "liter", "ml": "milliliter", "cl": "centiliter", "m³": "meter**3", "cubic inches": "inch**3",
        "cu ft": "foot**3", "gallons": "gallon", "quarts": "quart", "pints": "pint", "cups": "cup",
        "fl oz": "fluid_ounce", "tbsp": "tablespoon", "tsp": "teaspoon", "barrels": "oil_barrel",
        "imperial gallons": "imperial_gallon", "imperial pints": "imperial_pint",
        "imperial fluid ounces": "imperial_fluid_ounce", "cc": "centimeter**3",
    },
    "mass": {
        "kg": "kilogram", "g": "gram", "mg": "milligram", "tonnes": "metric_ton", "lb": "pound", "pounds": "pound",
        "oz": "ounce", "stone": "stone", "short tons": "ton", "long tons": "UK_ton", "troy ounces": "troy_ounce",
        "carats": "carat", "grains": "grain",
    },
    "time": {
        "s": "second", "ms": "millisecond", "min": "minute", "hours": "hour", "days": "day", "weeks": "week",
        "months": "month", "years": "year", "centuries": "century", "fortnights": "fortnight",
    },
    "speed": {
        "m/s": "meter/second", "km/h": "kilometer/hour", "mph": "mile/hour", "knots": "knot", "ft/s": "foot/second",
        "miles per hour": "mile/hour", "kph": "kilometer/hour",
    },
    "data": {
        "bits": "bit", "bytes": "byte", "B": "byte", "kB": "kilobyte", "MB": "megabyte", "GB": "gigabyte",
        "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte", "Mbit": "megabit", "Gb": "gigabit", "TB": "terabyte",
    },
    "rate": {
        "Mbit/s": "megabit/second", "MB/s": "megabyte/second", "Mbps": "megabit/second", "GB/h": "gigabyte/hour",
        "kbps": "kilobit/second", "KiB/s": "kibibyte/second",
    },
    "energy": {
        "J": "joule", "kJ": "kilojoule", "kWh": "kilowatt_hour", "cal": "calorie", "kcal": "kilocalorie",
        "eV": "electron_volt", "BTU": "international_british_thermal_unit", "W s": "watt*second", "N m": "newton*meter",
    },
    "power": {"W": "watt", "kW": "kilowatt", "MW": "megawatt", "J/s": "joule/second", "PS": "metric_horsepower"},
    "pressure": {
        "Pa": "pascal", "hPa": "hectopascal", "bar": "bar", "mbar": "millibar", "atm": "standard_atmosphere",
        "psi": "pound_force_per_square_inch", "torr": "torr", "N/m^2": "newton/meter**2",
    },
    "force": {"N": "newton", "kN": "kilonewton", "lbf": "pound_force", "kgf": "kilogram_force", "dyn": "dyne"},
    "frequency": {"Hz": "hertz", "MHz": "megahertz", "GHz": "gigahertz", "kHz": "kilohertz"},
}
ANGLES = {"deg": "degree", "°": "degree", "rad": "radian", "arcmin": "arcminute", "turns": "turn", "arcsec": "arcsecond"}
TEMPERATURES = {"C": "degC", "°F": "degF", "K": "kelvin", "degrees celsius": "degC", "fahrenheit": "degF"}


def units():
    registry = pint.UnitRegistry(non_int_type=Fraction)
    # pint's own are of the survey foot.
    registry.define("international_fathom = 6 * foot")
    registry.define("international_furlong = 220 * yard")
    registry.define("international_acre = 4840 * yard ** 2")
    for kind, names in UNITS.items():
        for _ in range(26):
            one, other = chance.sample(sorted(names), 2)
            value = Fraction(chance.randrange(1, 10**6), chance.choice([1, 1, 10, 100]))
            number = format(Decimal(value.numerator) / Decimal(value.denominator), "f")
            factor = registry.Quantity(Fraction(1), names[one]).to(names[other]).magnitude
            word = chance.choice(["in", "to", "into", "as"])
            exact(f"{number} {one} {word} {other}", value * Fraction(factor))
    for _ in range(20):
        one, other = chance.sample(sorted(ANGLES), 2)
        value = chance.randrange(1, 1000)
        if ANGLES[one] == ANGLES[other]:
            continue
        factor = registry.Quantity(Fraction(1), ANGLES[one]).to(ANGLES[other]).magnitude
        approximate(f"{value} {one} in {other}", value * float(factor))
    for _ in range(40):
        one, other = chance.choice(sorted(TEMPERATURES)), chance.choice(sorted(TEMPERATURES))
        value = Fraction(chance.randrange(-500, 2000), 10)
        number = float(value)
        result = registry.Quantity(value, TEMPERATURES[one]).to(TEMPERATURES[other]).magnitude
        exact(f"{number} {one} in {other}", Fraction(result))
    # Sums, in the first one's unit, and products of units.
    for _ in range(60):
        kind = chance.choice(["length", "mass", "time", "volume", "data"])
        one, other = chance.sample(sorted(UNITS[kind]), 2)
        left, right = chance.randrange(1, 1000), chance.randrange(1, 1000)
        sign = chance.choice(["+", "-"])
        first = registry.Quantity(Fraction(left), UNITS[kind][one])
        second = registry.Quantity(Fraction(right), UNITS[kind][other])
        result = first + second if sign == "+" else first - second
        exact(f"{left} {one} {sign} {right} {other}", Fraction(result.to(UNITS[kind][one]).magnitude))
    for _ in range(60):
        length, other = chance.sample(["m", "km", "ft", "yards", "miles", "mm"], 2)
        time = chance.choice(["s", "min", "hours", "days"])
        left, right = chance.randrange(1, 1000), chance.randrange(1, 1000)
        first = registry.Quantity(Fraction(left), UNITS["length"][length])
        second = registry.Quantity(Fraction(right), UNITS["length"][other])
        lapse = registry.Quantity(Fraction(right), UNITS["time"][time])
        exact(f"{left} {length} * {right} {other} in acres",
              Fraction((first * second).to("international_acre").magnitude))
        exact(f"{left} {length} / {right} {time} in knots", Fraction((first / lapse).to("knot").magnitude))


arithmetic(450)
integers()
reals()
bases()
units()
print("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")
