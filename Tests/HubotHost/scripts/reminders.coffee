# Description:
#   Injects messages, and looks at the robot.
#
# Commands:
#   hubot say for me <text> - Says it as if you had said it
#   hubot describe yourself - Says what the robot is
#   hubot commands - Lists the commands
#   hubot load <file> - Loads a script

{TextMessage} = require 'hubot'
path = require 'path'

module.exports = (robot) ->
  robot.respond /say for me (.*)/i, (msg) ->
    message = new TextMessage msg.message.user, msg.match[1], 'injected'
    message.note = 'the same object'
    robot.receive message

  robot.respond /describe yourself/i, (msg) ->
    msg.send "#{robot.name} #{robot.alias} #{robot.adapterName} #{typeof robot.version} #{robot.listeners.length > 0} #{msg.robot is robot} #{msg.message.done}"

  robot.respond /commands$/i, (msg) ->
    msg.send robot.helpCommands().filter((line) -> line.match /say for me|describe/).join '; '
    msg.send "#{robot.commands.length > 0}"

  robot.respond /load (\S+)/i, (msg) ->
    robot.loadFile path.dirname(msg.match[1]), path.basename(msg.match[1])
    robot.load path.join path.dirname(msg.match[1]), 'more'
    robot.parseHelp msg.match[1]
    robot.loadHubotScripts path.dirname(msg.match[1]), []
    robot.loadExternalScripts []
    msg.send 'loaded'

  robot.listen(
    (message) -> message.note?
    (msg) -> msg.send "noted: #{msg.match}, #{msg.message.text}"
  )
