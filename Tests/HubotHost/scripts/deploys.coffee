# Description:
#   Events, web hooks and other scripts.
#
# Commands:
#   hubot deploy <app> - Deploys an app
#
# URLS:
#   POST /deployed

module.exports = (robot) ->
  robot.on 'deployed', (deployment) ->
    robot.messageRoom deployment.room, "#{deployment.app} is deployed"

  robot.respond /deploy (\w+)/i, (msg) ->
    robot.emit 'deployed', app: msg.match[1], room: msg.message.room

  robot.router.post '/deployed', (req, res) ->
    robot.emit 'deployed', req.body
    res.end 'ok'

  robot.router.get '/deployed/:app', (req, res) ->
    res.writeHead 200
    res.end req.params.app

  robot.error (err, res) ->
    robot.logger.error "handler: #{err.message}"
    res?.reply "that failed: #{err.message}"

  robot.respond /break (now|later|promise)/i, (msg) ->
    switch msg.match[1]
      when 'now' then throw new Error 'broken now'
      when 'later' then setTimeout (-> throw new Error 'broken later'), 5
      else Promise.reject new Error 'broken promise'

  robot.respond /event error/i, (msg) ->
    robot.emit 'error', new Error('from an event'), msg
