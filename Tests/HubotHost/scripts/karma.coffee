# Description:
#   Counts points in the brain.
#
# Commands:
#   <thing>++ - Gives a point
#   hubot karma <thing> - Says how many points a thing has
#   hubot best - Says who has the most

class Karma
  constructor: (@robot) ->
    @points = {}
    @robot.brain.on 'loaded', =>
      @robot.brain.data.karma ?= {}
      @points = @robot.brain.data.karma

  add: (thing) ->
    @points[thing] = (@points[thing] or 0) + 1
    @robot.brain.save()
    @points[thing]

  best: ->
    ([thing, points] for thing, points of @points).sort((a, b) -> b[1] - a[1])[0]

module.exports = (robot) ->
  karma = new Karma(robot)

  robot.hear /(\w+)\+\+/, (msg) ->
    thing = msg.match[1].toLowerCase()
    msg.send "#{thing}: #{karma.add thing}"

  robot.respond /karma (\w+)/i, (msg) ->
    msg.send "#{karma.points[msg.match[1].toLowerCase()] or 0}"

  robot.respond /best$/i, (msg) ->
    [thing, points] = karma.best()
    msg.send "#{thing} (#{points})"
