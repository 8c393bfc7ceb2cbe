// Description:
//   Commands with arguments, as in Hubot 14.
//
// Commands:
//   hubot tickets - Lists the tickets

import hubot from 'hubot'

const tickets = []

export default (robot) => {
  robot.commands.register({
    id: 'tickets.create',
    description: 'Creates a ticket',
    aliases: ['new ticket'],
    args: {
      title: { type: 'string', required: true },
      priority: { type: 'enum', values: ['low', 'high'], default: 'low' },
      size: { type: 'number' }
    },
    examples: ['tickets.create --title "It is broken"'],
    handler: async ({ args, context }) => {
      tickets.push(args)
      return `${context.user.name} made ${args.title} (${args.priority}, ${typeof args.size})`
    }
  })

  robot.commands.register({
    id: 'tickets.clear',
    description: 'Removes all tickets',
    sideEffects: ['removes tickets'],
    confirm: 'if_ambiguous',
    handler: () => {
      tickets.length = 0
      return 'removed'
    }
  })

  robot.commands.registerTypeResolver('ticket', async (value) => value)
  robot.respond(/tickets$/i, async (res) => {
    await res.send(`${tickets.length} ${robot.commands.getHelp('tickets.create').split('\n')[0]} ${robot.commands.search('new ticket')[0].id} ${typeof hubot.CommandBus}`)
  })
}
