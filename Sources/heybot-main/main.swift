import HeybotCommand
import StandardScripts

// The command `heybot`, with the scripts that are in Scripts/.
await Command.main(scripts: standardScripts)
