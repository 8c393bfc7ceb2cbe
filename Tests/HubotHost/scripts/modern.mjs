// Description:
//   An ES module with async functions, as in Hubot 11 to 14.
//
// Commands:
//   hubot fetch <path> - Fetches a path
//   hubot slow reply - Answers in two steps

import { setTimeout as wait } from 'node:timers/promises'
import { Response, TextMessage, CatchAllMessage } from 'hubot'

export default async (robot) => {
  await wait(1)

  robot.respond(/fetch (\S+)/i, async (res) => {
    const answer = await fetch(`${process.env.WEATHER_URL}${res.match[1]}`)
    await res.send(await answer.text())
  })

  robot.respond(/slow reply/i, { id: 'modern.slow' }, async (res) => {
    await res.send('one')
    await wait(5)
    await res.reply('two')
  })

  robot.hear(/kind of module/, async (res) => {
    await res.send(`${res instanceof Response} ${res.message instanceof TextMessage} ${typeof CatchAllMessage}`)
  })

  robot.catchAll(async (res) => {
    await res.send(`14: ${res.message.message.text}`)
  })

  robot.receiveMiddleware(async (context) => {
    if (context.response.message.text === 'modern spam') return false
    return true
  })

  robot.responseMiddleware(async (context) => {
    context.strings = context.strings.map((text) => text.replace('gosh', 'g***'))
  })

  robot.respond(/mild$/, async (res) => { await res.send('gosh') })
}
