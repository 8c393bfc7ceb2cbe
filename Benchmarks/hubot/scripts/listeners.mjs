// The command that irc-flood.py sends, and BENCH_LISTENERS additional listeners.
export default robot => {
  robot.respond(/ping$/i, res => res.send('PONG'))
  for (let n = 0; n < Number(process.env.BENCH_LISTENERS); n += 1) {
    const pattern = new RegExp(`\\b(?:deploy${n}|ship${n})\\s+(\\w+) to (\\w+)$`, 'i')
    robot.hear(pattern, res => res.send(`${res.match[1]} goes to ${res.match[2]}`))
  }
}
