# Description:
#   Speaks in other rooms.
#
# Commands:
#   hubot tell <room> <text> - Says something in a room
#   hubot whisper <text> - Says it to you alone
#   hubot secret <text> - Says it off the record
#   hubot play <sound> - Plays a sound
#   hubot topic <text> - Changes the topic

module.exports = (robot) ->
  robot.respond /tell (\S+) (.*)/i, (msg) ->
    robot.messageRoom msg.match[1], msg.match[2]
    msg.finish()

  robot.respond /tell/i, (msg) ->
    msg.send 'never reached after finish'

  robot.respond /whisper (.*)/i, (msg) ->
    robot.send {user: msg.message.user, room: msg.message.user.id}, msg.match[1]
    robot.reply msg.envelope, 'done'

  robot.respond /secret (.*)/i, (msg) ->
    msg.locked msg.match[1]

  robot.respond /play (\w+)/i, (msg) ->
    msg.play msg.match[1]

  robot.respond /topic (.*)/i, (msg) ->
    msg.topic msg.match[1]
    robot.logger.info "topic by #{msg.message.user.name}"
    robot.logger.warning 'an old name of a level'
    robot.logger.debug 'not in the log'
