// A minimal IRC adapter for Hubot, for irc-flood.py: one room, no TLS.
import net from 'node:net'

const { BENCH_HUBOT, HEYBOT_IRC_SERVER: host, HEYBOT_IRC_PORT: port, HEYBOT_IRC_ROOMS: room } = process.env
const { Adapter, TextMessage } = await import(BENCH_HUBOT)

class IRC extends Adapter {
  send (envelope, ...strings) {
    for (const text of strings) this.socket.write(`PRIVMSG ${envelope.room} :${text}\r\n`)
  }

  reply (envelope, ...strings) {
    this.send(envelope, ...strings.map(text => `${envelope.user.name}: ${text}`))
  }

  run () {
    let rest = ''
    this.socket = net.connect({ host, port, noDelay: true })
    this.socket.setEncoding('utf8')
    this.socket.write(`NICK ${this.robot.name}\r\nUSER ${this.robot.name} 0 * :${this.robot.name}\r\n`)
    this.socket.on('data', data => {
      const lines = (rest + data).split('\r\n')
      rest = lines.pop()
      for (const line of lines) this.take(line)
    })
    this.socket.on('end', () => process.exit())
  }

  take (line) {
    const said = /^:([^! ]+)\S* PRIVMSG (\S+) :(.*)$/.exec(line)
    if (said) {
      const user = this.robot.brain.userForId(said[1], { name: said[1], room: said[2] })
      this.receive(new TextMessage(user, said[3]))
    } else if (line.startsWith('PING ')) {
      this.socket.write(`PONG ${line.slice(5)}\r\n`)
    } else if (/^\S+ 001 /.test(line)) {
      this.socket.write(`JOIN ${room}\r\n`)
    } else if (/^\S+ 366 /.test(line)) {
      this.emit('connected')
    }
  }
}

export default { use: robot => new IRC(robot) }
