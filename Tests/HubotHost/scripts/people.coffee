# Description:
#   Knows people, by name and by the start of a name.
#
# Commands:
#   hubot find <name> - Finds people
#   hubot note <name> <text> - Notes something about somebody
#   hubot forget everything - Removes what is in the brain

{User} = require 'hubot'

module.exports = (robot) ->
  robot.respond /find (\w+)/i, (msg) ->
    users = robot.brain.usersForFuzzyName msg.match[1]
    raw = robot.brain.usersForRawFuzzyName msg.match[1]
    one = robot.brain.userForName msg.match[1]
    msg.send "#{(user.name for user in users).join ', '} | #{raw.length} | #{one?.id} | #{one instanceof User}"

  robot.respond /note (\w+) (.*)/i, (msg) ->
    user = robot.brain.userForId msg.match[1], name: msg.match[1]
    user.note = msg.match[2]
    robot.brain.set 'notes', (robot.brain.get('notes') or 0) + 1
    msg.send "#{Object.keys(robot.brain.users()).length} users, #{robot.brain.get 'notes'} notes, #{robot.brain.data.users[msg.match[1]].note}"

  robot.respond /forget everything/i, (msg) ->
    robot.brain.remove('notes').setAutoSave false
    robot.brain.resetSaveInterval 60
    robot.brain.mergeData {shopping: ['milk'], users: {zoe: {id: 'zoe', name: 'Zoe'}}}
    msg.send "#{robot.brain.get 'notes'} #{robot.brain.data.shopping} #{robot.brain.data.users.zoe instanceof User}"
