/// Waits until nothing is left to be said, for as long as whoever stops us has time for it.
///
/// What was answered may still wait for its turn, where a network takes only so much at once.
package func waitForLastWords(unsaid: () -> Int) async {
    let end = ContinuousClock.now + .milliseconds(600)
    while unsaid() > 0, ContinuousClock.now < end {
        try? await Task.sleep(for: .milliseconds(10))
    }
}
