import Testing

@Suite struct UnitTests {
    @Test(arguments: [
        ("10 km in miles", "6.213711922 mi"), ("10 KM IN MILES", "6.213711922 mi"), ("5 kg in lbs", "11.02311311 lb"),
        ("5 ft 11 in in cm", "180.34 cm"), ("5'11\" in cm", "180.34 cm"), ("5 in in cm", "12.7 cm"), ("12 in", "12 in"),
        ("10 cm in in", "3.937007874 in"), ("10 in to cm", "25.4 cm"), ("5 in + 3 in in cm", "20.32 cm"),
        ("5 in * 3 in in cm²", "96.774 cm²"), ("3 in/s in cm/s", "7.62 cm/s"), ("10 cm/s in in/s", "3.937007874 in/s"),
        ("1 gallon in L", "3.785411784 L"), ("1 imperial gallon in litres", "4.54609 L"),
        ("1/2 cup in ml", "118.29411825 mL"),
        ("1 1/2 cups in ml", "354.88235475 mL"), ("10 fl oz in ml", "295.735295625 mL"),
        ("1 light year in km", "9460730472580.8 km"), ("1 square mile in acres", "640 acres"),
        ("3 weeks in days", "21 days"),
        ("24 hours in days", "1 day"), ("1 h 30 min in s", "5400 s"), ("1 µm in nm", "1000 nm"),
        ("1 um in nm", "1000 nm"),
        ("1 megawatt in kW", "1000 kW"), ("1 kwh in j", "3600000 J"), ("1 atm in psi", "14.69594878 psi"),
        ("3000 rpm in Hz", "50 Hz"), ("2 mhz in kHz", "2000 kHz"), ("30° in rad", "0.5235987756 rad"),
        ("pi in deg", "180°"),
        ("1 turn in degrees", "360°"), ("10 km to m as cm", nil), ("10 km to m to cm", "1000000 cm")
    ]) func `conversions`(_ text: String, _ value: String?) throws {
        guard let value else { return }
        #expect(try said(text) == value)
    }

    @Test(arguments: [
        ("1 GB in MB", "1000 MB"), ("1 GiB in MiB", "1024 MiB"), ("1 GB in Gb", "8 Gbit"), ("16 gb in mb", "16000 MB"),
        ("1 KB in bytes", "1000 B"), ("100 Mbit/s * 10 s in MB", "125 MB"), ("100 mbps in MB/s", "12.5 MB/s"),
        ("10 GB / (100 Mbit/s)", "800 s"), ("8 bits in bytes", "1 B"), ("1 MBps in kbps", "8000 kbit/s")
    ]) func `amounts of data`(_ text: String, _ value: String) throws {
        #expect(try said(text) == value)
    }

    @Test(arguments: [
        ("20 C in F", "68 °F"), ("68 f in c", "20 °C"), ("-40 F in C", "-40 °C"), ("0 K in °C", "-273.15 °C"),
        ("100 degrees celsius in kelvin", "373.15 K"), ("20 °C + 5 °C", "25 °C"), ("20 C + 5 K", "25 °C"),
        ("30 C - 20 C", "10 °C"), ("30 C - 20 C in F", "18 °F"), ("30 C - 20 C in K", "10 K"), ("68 F - 20 C", "0 °F"),
        ("(30 C - 20 C) + 5 C in F", "59 °F"), ("2 * 20 C", "40 °C"), ("20 C / 10 min", "2 °C/min"),
        ("20 C in C", "20 °C"),
        ("300 K - 20 C", "6.85 K"), ("max(20 C, 70 F)", "70 °F"), ("5 degrees", "5°")
    ]) func `temperatures and their differences`(_ text: String, _ value: String) throws {
        #expect(try said(text) == value)
    }

    @Test(arguments: [
        ("100 km / 2 h", "50 km/h"), ("100 km / 2 h in mph", "31.06855961 mph"), ("5 m * 3 m", "15 m²"),
        ("5 m * 300 cm", "15 m²"), ("3 km + 200 m", "3.2 km"), ("60 mph * 30 min", "30 mi"), ("10 km / 500 m", "20"),
        ("80 kg * (10 m/s)^2 / 2", "4000 J"), ("9.8 m/s^2 * 5 kg", "49 N"), ("100 W * 5 h in kWh", "0.5 kWh"),
        ("12 V * 2 A", "24 W"), ("8 L / 100 km", "0.08 L/km"), ("10 m / s / s", "10 m/s²"), ("1 / (2 s)", "0.5 s⁻¹"),
        ("1 / (2 s) in Hz", "0.5 Hz"), ("sqrt(9 m²)", "3 m"), ("sqrt(1 acre)", "63.61490723 m"), ("(2 m)^3", "8 m³"),
        ("(4 m²)^0.5", "2 m"), ("5 km^2", "5 km²"), ("2^10 km", "1024 km"), ("370 deg mod 360 deg", "10°"),
        ("10 square feet in m2", "0.9290304 m²"), ("1 kg m/s^2", "1 N"), ("5 ft 6 in * 2", "11 ft"),
        ("-5 ft 6 in", "-5.5 ft"),
        ("10 miles per hour in m/s", "4.4704 m/s"), ("1 knot in km/h", "1.852 km/h"), ("2 ft x 3 ft", "6 ft²"),
        ("m^2/m", "1 m"), ("1 L / 1 m^3", "0.001"), ("20 knots", "20 kn")
    ]) func `units of units`(_ text: String, _ value: String) throws {
        #expect(try said(text) == value)
    }
}
