// How long Hubot's way of finding listeners takes: each message is matched against all patterns, one after the other.
//
//   node router-node.mjs FILE
//
// FILE has {"patterns": [{"source", "flags", "respond"}], "messages": [...]} as JSON. It prints JSON: nanoseconds per
// message, the median of five rounds; hits, how often one of the messages matched one of the patterns; and messages,
// how many there were time for: a round is over the first ones, as many as take about three seconds. Hubot's own loop
// awaits something for each listener besides, and makes a message of each text; that isn't in here.
import { readFileSync } from 'node:fs'

const budget = 3e9
const { patterns, messages } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const regexes = patterns.map(({ source, flags, respond }) =>
  new RegExp(respond ? `^\\s*[@]?heybot[:,]?\\s*(?:${source})` : source, flags))

const now = () => Number(process.hrtime.bigint())

/** How many patterns match a message. */
function hitsOf (text) {
  let hits = 0
  for (const regex of regexes) {
    if (text.match(regex)) hits += 1
  }
  return hits
}

// The first pass also warms up, and finds how many messages there is time for.
let start = now()
let used = 0
let hits = 0
while (used < messages.length && now() - start < budget) hits += hitsOf(messages[used++])
const passes = Math.max(1, Math.floor(budget / 10 / (now() - start))) // Few messages are taken several times.

const rounds = []
for (let round = 0; round < 5; round += 1) {
  start = now()
  let again = 0
  for (let pass = 0; pass < passes; pass += 1) {
    for (let at = 0; at < used; at += 1) again += hitsOf(messages[at])
  }
  rounds.push((now() - start) / passes / used)
  if (again !== hits * passes) throw new Error('not the same hits each time: is there a g or y among the flags?')
}
console.log(JSON.stringify({
  nanoseconds: Math.round(rounds.sort((a, b) => a - b)[2]),
  hits,
  messages: used,
  of: messages.length,
  patterns: patterns.length
}))
