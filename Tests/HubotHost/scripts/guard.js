// Description:
//   Middleware with callbacks, as in Hubot 2.14 to 8.
//
// Commands:
//   hubot guarded - Is counted

'use strict'

module.exports = function guard (robot) {
  let received = 0
  let finished = 0

  robot.receiveMiddleware((context, next, done) => {
    received += 1
    if (/spam/.test(context.response.message.text)) {
      context.response.message.finish()
      return done()
    }
    next(() => {
      finished += 1
      done()
    })
  })

  robot.listenerMiddleware((context, next, done) => {
    if (context.listener.options.locked) {
      context.response.reply('that is locked')
      return done()
    }
    if (context.listener.options.slow) {
      setTimeout(() => next(), 5)
    } else {
      next()
    }
  })

  robot.responseMiddleware((context, next, done) => {
    if (context.plaintext && context.method !== 'emote') {
      context.strings = context.strings.map((text) => text.replace('darn', 'd***'))
    }
    next()
  })

  robot.respond(/guarded$/i, (res) => res.send(`${received} received, ${finished} finished, darn`))
  robot.respond(/locked$/i, { locked: true }, (res) => res.send('never said'))
  robot.respond(/slowly$/i, { slow: true }, (res) => res.send('said at last'))
}
