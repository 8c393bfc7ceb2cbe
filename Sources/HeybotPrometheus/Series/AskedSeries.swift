/// A time series whose value is kept elsewhere.
final class AskedSeries: Series {
    let id: SeriesID
    private let value: @Sendable () -> Double?

    init(_ id: SeriesID, _ value: @escaping @Sendable () -> Double?) {
        self.id = id
        self.value = value
    }

    func samples() -> [Sample] {
        value().map { [Sample(value: formatNumber($0))] } ?? []
    }
}
