import HeybotCommand
import StandardScripts

// The command `heybot`, with the scripts in Scripts/.
await Command.main(scripts: standardScripts)
