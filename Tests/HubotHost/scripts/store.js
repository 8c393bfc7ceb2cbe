// Description:
//   A data store, a custom matcher, and an adapter's functions.
//
// Commands:
//   hubot remember <key> <value> - Stores a value
//   hubot recall <key> - Gives the value

const { DataStore, DataStoreUnavailable } = require('hubot')

class MapStore extends DataStore {
  constructor (robot) {
    super(robot)
    this.values = new Map()
  }

  async _set (key, value, table) {
    this.values.set(`${table}/${key}`, value)
  }

  async _get (key, table) {
    return this.values.get(`${table}/${key}`)
  }
}

module.exports = (robot) => {
  robot.respond(/remember (\w+) (.*)/i, async (res) => {
    try {
      await robot.datastore.set(res.match[1], res.match[2])
      await robot.datastore.setArray('all', res.match[1])
      await robot.datastore.setObject('lengths', res.match[1], res.match[2].length)
      await res.message.user.set('last', res.match[1])
    } catch (error) {
      res.send(`${error instanceof TypeError}`)
      return
    }
    await res.send('stored')
  })

  robot.respond(/recall (\w+)/i, async (res) => {
    const { datastore } = robot
    const values = [await datastore.get(res.match[1]), await datastore.get('all'), await datastore.getObject('lengths', res.match[1]), await res.message.user.get('last')]
    await res.send(values.join(' '))
  })

  robot.respond(/no store/i, (res) => {
    robot.datastore = null
    try {
      res.message.user.get('last')
    } catch (error) {
      res.send(`${error instanceof DataStoreUnavailable} ${error.message}`)
    }
  })

  robot.listen((message) => message.text && message.text.length > 100 && message.text.length, (res) => {
    robot.adapter.send(res.envelope, `that had ${res.match} characters`)
    robot.adapter.reply(res.envelope, 'be brief')
  })

  robot.datastore = new MapStore(robot)
}
