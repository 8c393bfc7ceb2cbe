This script is an essay. Only what is indented is code.

    module.exports = (robot) ->

It has one listener, which answers a question.

      robot.respond /why literate/i, {id: 'literate.why', help: 'why'}, (msg) ->
        msg.send 'because it reads well'

