// Commands that hang, end or exhaust the process, for hubot-faults.py.
const faults = {
  spin: () => { while (true) {} },
  allocate: () => { const all = []; while (true) all.push({ a: [1, 2, 3] }) },
  'kill from a shell': () => require('child_process').execSync(`kill -9 ${process.pid}`),
  abort: () => process.abort(),
  exit: () => process.exit(1),
  'kill the parent': () => process.kill(process.ppid),
  'kill itself': () => process.kill(process.pid, 'SIGKILL'),
  'throw in a timer': () => setTimeout(() => { throw new Error('thrown in a timer') }, 1),
  'reject unhandled': () => { Promise.reject(new Error('rejected')) },
}

module.exports = robot => {
  for (const [name, fault] of Object.entries(faults)) robot.respond(new RegExp(`${name}$`, 'i'), () => { fault() })
}
