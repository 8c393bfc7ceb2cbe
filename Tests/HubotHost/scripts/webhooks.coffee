# Description:
#   Web hooks, as scripts for Hubot 2 and 3 write them.
#
# URLS:
#   POST /hubot/say/:room - Says the message of a form or of JSON

querystring = require 'querystring'
express = require 'express'

module.exports = (robot) ->
  robot.router.post '/hubot/say/:room', (req, res) ->
    text = req.body.message
    text = text.toUpperCase() if req.query.loud
    robot.messageRoom req.params.room, text
    res.send 'OK'

  robot.router.post '/hubot/github', (req, res) ->
    data = JSON.parse req.body.payload
    res.end()
    robot.send {room: 'tea'}, "pushed to #{data.ref}"

  robot.router.use '/hubot/text', express.text()
  robot.router.post '/hubot/text', (req, res) -> res.end "text #{req.body}"
  robot.router.post '/hubot/raw', express.raw(), (req, res) -> res.end "#{req.body.length} bytes"
  robot.router.post '/hubot/stream', (req, res) ->
    length = 0
    req.on 'data', (part) -> length += part.length
    req.on 'end', -> res.end "#{length} bytes"

  robot.router.get '/hubot/old', (req, res) ->
    res.writeHead 200, 'Content-Type': 'text/plain'
    res.write "#{req._parsedUrl.pathname} "
    res.write "#{req._parsedUrl.query} "
    res.end JSON.stringify req.query

  robot.router.get '/hubot/moved', (req, res) -> res.redirect '/hubot/old'

  robot.router.get '/hubot/who', (req, res) ->
    res.set 'X-Who', 'you'
    res.type 'json'
    res.status(201).json ip: req.ip, host: req.get('host')

  robot.router.put '/hubot/thing/:id', (req, res) -> res.send "put #{req.params.id}"
  robot.router.delete '/hubot/thing/:id', (req, res) -> res.sendStatus 204
  robot.router.all '/hubot/any', (req, res) -> res.end req.method
