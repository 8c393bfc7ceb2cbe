import Heybot
import SQLiteStore
import Scripts
import ShellAdapter
import StandardScripts

let robot = Robot(
    name: "Marvin", adapters: [ShellAdapter(robotName: "Marvin")],
    brain: Brain(store: SQLiteStore(path: CommandLine.arguments[1])), scripts: standardScripts + scripts)

try await robot.run()
