# Description:
#   Asks a weather service, in the manner of 2012.
#
# Commands:
#   hubot weather <place> - Tells the weather
#   hubot report <text> - Posts a report
#   hubot station <id> - Looks a station up, with a password

module.exports = (robot) ->
  base = process.env.WEATHER_URL

  robot.respond /weather (.*)/i, (msg) ->
    msg.http("#{base}/now")
      .query(place: msg.match[1], units: 'metric')
      .header('Accept', 'application/json')
      .get() (err, res, body) ->
        if err
          return msg.send "The weather failed: #{err.message}"
        if res.statusCode isnt 200
          return msg.send "The weather service says #{res.statusCode}"
        {degrees} = JSON.parse body
        msg.send "#{degrees} degrees"

  robot.respond /report (.*)/i, (msg) ->
    data = JSON.stringify text: msg.match[1]
    robot.http("#{base}/reports", timeout: 5000)
      .headers('Content-Type': 'application/json', 'X-Station': 'one')
      .post(data) (err, res, body) ->
        msg.send body

  robot.respond /station (.*)/i, (msg) ->
    client = robot.http(base).auth('me', 'secret').path('stations').timeout(5000).encoding('utf-8')
    client.scope msg.match[1], (scoped) ->
      scoped.query('full', 'yes').get() (err, res, body) ->
        msg.send body
