# Description:
#   Greets people who come and go, and keeps an eye on the topic.
#
# Dependencies:
#   None
#
# Configuration:
#   GREETING - the word to greet with
#
# Commands:
#   hubot greet <name> - Greets somebody
#   hubot wave - Waves to the room
#   hubot who am I - Says your name, id and room
#
# Notes:
#   None
#
# Author:
#   the Heybot project

greeting = process.env.GREETING or 'Hello'

module.exports = (robot) ->
  robot.respond /greet (.+)/i, (msg) ->
    name = msg.match[1]
    msg.send "#{greeting}, #{name}!"

  robot.respond /wave$/i, (msg) ->
    msg.emote "waves to #{msg.message.room}"

  robot.respond /who am i\??$/i, (msg) ->
    {user} = msg.message
    msg.reply "#{user.name}, #{user.id}, #{user.room}, #{msg.envelope.room}, #{msg.envelope.user.name}"

  robot.enter (msg) ->
    msg.send "Welcome, #{msg.message.user.name}"

  robot.leave {id: 'greetings.leave'}, (msg) ->
    msg.send "Goodbye, #{msg.message.user.name}"

  robot.topic (msg) ->
    msg.send "The topic is now #{msg.message.text}"
