/// Something a script does later, or again and again.
struct ScheduledWork: Sendable {
    let script: String
    let delay: Duration
    let repeats: Bool
    let run: @Sendable (Robot) async throws -> Void
}

extension Robot {
    func startSchedule() {
        for work in schedule { start(work) }
    }

    private func start(_ work: ScheduledWork) {
        timers.after(work.delay) { [weak self] in
            guard let self else { return }
            activity.begin()
            Task { [self] in
                if !switches.off.contains(work.script) {
                    await run(ScriptPart(script: work.script, part: work.repeats ? "every" : "after"), work.run)
                }
                if work.repeats { start(work) }
                activity.end()
            }
        }
    }
}
