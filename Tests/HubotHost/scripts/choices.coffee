# Description:
#   Chooses at random, and catches what nobody else understood.
#
# Commands:
#   hubot choose <a>, <b> - Chooses one
#   hubot count <text> - Counts the digits in a text

util = require 'util'
querystring = require 'querystring'

module.exports = (robot) ->
  robot.respond /choose (.*)/i, (msg) ->
    choices = msg.match[1].split(/,\s*/)
    chosen = msg.random choices
    msg.send if chosen in choices then "chosen: #{choices.length}" else util.inspect chosen

  # With the flag g the match is an array of all matches.
  robot.hear /\d/g, (msg) ->
    msg.send "#{msg.match.length} digits: #{msg.match.join ''}"

  robot.catchAll (msg) ->
    msg.send "What does '#{msg.message.text}' mean? #{querystring.escape msg.message.text}"
