// Description:
//   A vote, in the manner of Hubot 3.
//
// Commands:
//   hubot start vote <question> - Starts a vote
//   hubot vote yes - Votes yes
//   hubot votes - Says how the vote stands
'use strict'

const { Response, Listener, TextListener, TextMessage } = require('hubot')

class Vote {
  constructor (question) {
    this.question = question
    this.yes = new Set()
  }
}

module.exports = (robot) => {
  let vote = null

  robot.respond(/start vote (.*)/i, { id: 'vote.start' }, (res) => {
    vote = new Vote(res.match[1])
    res.send(`Vote: ${vote.question}`, () => robot.logger.info('the vote is announced'))
  })

  robot.respond(/vote yes/i, { id: 'vote.yes', cost: 3 }, (res) => {
    vote.yes.add(res.message.user.id)
    res.reply('counted')
  })

  robot.respond(/votes$/i, (res) => {
    res.send(`${vote.yes.size} yes`, `${res instanceof Response}`)
  })

  robot.hear(/classes/, (res) => {
    const listener = new TextListener(robot, /x(.)/, (inner) => inner.send(`inner ${inner.match[1]}`))
    const called = listener.call(new TextMessage(res.message.user, 'xy', '1'))
    res.send(`${listener instanceof Listener} ${called} ${robot.listeners.some((one) => one.options.id === 'vote.yes')}`)
  })
}
