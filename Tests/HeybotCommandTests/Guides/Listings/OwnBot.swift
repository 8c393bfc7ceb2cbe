import Heybot
import HeybotCommand
import SQLiteStore
import ShellAdapter
import StandardScripts

// The expressions that a bot of one's own may be.

private let scripts: [any Script] = [Lots()]

func robotOfOnesOwn() async throws {
    let robot = Robot(
        name: "Marvin", adapters: [ShellAdapter()], brain: Brain(store: SQLiteStore(path: "brain.sqlite")),
        scripts: standardScripts + scripts)

    try await robot.run()
}

func commandOfOnesOwn() async {
    await Command.main(scripts: standardScripts + scripts)
}
