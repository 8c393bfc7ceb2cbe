import Heybot
import HeybotCommand
import SQLiteStore
import ShellAdapter
import StandardScripts

// The ways to write a bot's main file.

private let scripts: [any Script] = [Lottery()]

func robotOfOnesOwn() async throws {
    let robot = Robot(
        name: "Marvin", adapters: [ShellAdapter()], brain: Brain(store: SQLiteStore(path: "brain.sqlite")),
        scripts: standardScripts + scripts)

    try await robot.run()
}

func commandOfOnesOwn() async {
    await Command.main(scripts: standardScripts + scripts)
}
