# Says hi, in the syntax of the first scripts.
#
# hi hubot says hi
module.exports = (robot) ->
  robot.hear /^hi there$/i, (msg) ->
    users = robot.usersForFuzzyName 'ada'
    msg.send "hi, #{users.length} ada"
    console.log 'printed by a script'
