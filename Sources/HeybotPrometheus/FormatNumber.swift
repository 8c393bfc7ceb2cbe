/// A number as the format has it.
func formatNumber(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
