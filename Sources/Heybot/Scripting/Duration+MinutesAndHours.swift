extension Duration {
    /// Returns a number of minutes.
    public static func minutes(_ minutes: Int) -> Duration { .seconds(product(minutes, 60)) }
    /// Returns a number of hours.
    public static func hours(_ hours: Int) -> Duration { .seconds(product(hours, 3_600)) }

    /// Multiplies without overflow, since the number may come from a user.
    private static func product(_ number: Int, _ seconds: Int) -> Int {
        let (product, overflows) = number.multipliedReportingOverflow(by: seconds)
        return overflows ? (number < 0 ? .min : .max) : product
    }
}
