import Heybot
import SQLiteStore
import Scripts
import ShellAdapter
import StandardScripts

let robot = Robot(
    name: "Marvin", adapters: [ShellAdapter()], brain: Brain(store: SQLiteStore(path: "brain.sqlite")),
    scripts: standardScripts + scripts)

try await robot.run()
