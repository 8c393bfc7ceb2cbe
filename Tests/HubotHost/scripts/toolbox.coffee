# Description:
#   Uses what else is found in published scripts: Node's modules, old globals, and members that few scripts need.
#
# Commands:
#   hubot digest <text> - Says a text's MD5, and that it survives compression
#   hubot shell <word> - Lets a program say a word
#   hubot verbs - Asks a service with all verbs
#   hubot address - Says how you can be reached
#   hubot tick - Counts to two
#   hubot old ways - Uses globals of old scripts
#   hubot members - Looks at members that few scripts need

{exec} = require 'child_process'
crypto = require 'crypto'
dgram = require 'dgram'
fs = require 'fs'
http = require 'http'
https = require 'https'
path = require 'path'
url = require 'url'
util = require 'util'
zlib = require 'zlib'

class Auth
  hasRole: (user, role) -> user.roles? and role in user.roles

exports = module.exports = (robot) ->
  base = process.env.TOOLBOX_URL
  robot.Auth = new Auth

  robot.respond /digest (.*)/i, (msg) ->
    text = msg.match[1]
    md5 = crypto.createHash('md5').update(text).digest 'hex'
    zlib.gzip text, (err, short) ->
      zlib.gunzip short, (err, long) ->
        msg.send "#{md5} #{long.toString() is text} #{fs.readFileSync(__filename).length > 100} #{path.extname __filename}"

  robot.respond /shell (\w+)/i, (msg) ->
    exec "echo #{msg.match[1]}", (err, stdout, stderr) ->
      msg.send stdout.trim()

  robot.respond /verbs$/i, (msg) ->
    asked = []
    after = (verb, next) -> (err, res, body) ->
      asked.push "#{verb} #{res.statusCode} #{body}"
      next()
    msg.http(base).path('things').put('data') after 'put', ->
      msg.http(base).delete() after 'delete', ->
        msg.http(base).del() after 'del', ->
          robot.http(base).patch('data') after 'patch', ->
            robot.http(base).head() after 'head', ->
              msg.send asked...

  # A client of Node's own, as old scripts for https used it.
  robot.respond /plain$/i, (msg) ->
    {hostname, port, protocol} = url.parse base
    client = if protocol is 'https:' then https else http
    request = client.get {hostname, port, path: '/plain'}, (response) ->
      body = ''
      response.on 'data', (part) -> body += part
      response.on 'end', -> msg.send body
    request.on 'error', (error) -> msg.send error.message

  robot.respond /address$/i, (msg) ->
    {name, email_address, reply_to, room} = msg.message.user
    msg.send "#{name} <#{email_address}> #{reply_to} in #{room}"

  robot.respond /tick$/i, (msg) ->
    count = 0
    never = setTimeout (-> msg.send 'never'), 100000
    timer = setInterval ->
      count += 1
      return unless count is 2
      clearInterval timer
      clearTimeout never
      msg.send "ticked #{count}"
    , 1

  robot.respond /old ways$/i, (msg) ->
    sum = eval '1 + 2'
    doubled = new Function('x', 'return x * 2') sum
    socket = dgram.createSocket 'udp4'
    socket.close()
    bytes = new Buffer('dGVh', 'base64').toString('ascii')
    msg.send "#{escape 'a b'} #{unescape 'a%20b'} #{doubled} #{bytes} #{util.inspect([]) is '[]'} #{new RegExp('^x', 'i').test 'X'}",
      "#{require('sys').inspect a: 1} #{parseInt '7', 10} #{parseFloat '1.5'} #{isNaN 'x'} #{encodeURI 'a b'} #{decodeURIComponent '%41'}"

  # The flags and constructs of published patterns: several lines, a lookahead, and any character.
  robot.hear /^first: (?=\w)([^]*?)!$/m, (msg) ->
    msg.send "lines: #{JSON.stringify msg.match[1]}"

  robot.respond /members$/i, (msg) ->
    counted = null
    robot.brain.on 'counted', (number) -> counted = number
    robot.brain.emit 'counted', 2
    own = new robot.Response robot, msg.message, ['own']
    own.send "#{own.match} #{counted} #{robot.adapter.bot?} #{robot.enableSlash?} #{robot.Auth.hasRole {roles: ['admin']}, 'admin'}"
    once = 0
    robot.once 'toolbox', -> once += 1
    robot.emit 'toolbox'
    robot.emit 'toolbox'
    robot.messageRoom msg.message.room, "once #{once}"

  robot.router.get '/toolbox/:name', (req, res) ->
    res.writeHead 200, 'Content-Type': 'text/plain'
    res.end "#{req.url} #{req.params.name}"
