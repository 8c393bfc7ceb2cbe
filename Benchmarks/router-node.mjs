// Measures Hubot's way of finding listeners: it matches each message against all patterns, one after the other.
//
//   node router-node.mjs FILE
//
// FILE is JSON: {"patterns": [{"source", "flags", "respond"}], "messages": [...]}. It prints JSON: `nanoseconds` per
// message, the median of five rounds; `hits`, the number of matches; and `messages`, the number of messages in a round,
// which are as many as take about three seconds. Hubot's own loop also awaits each listener and creates a message object
// for each text; that isn't measured.
import { readFileSync } from 'node:fs'

const budget = 3e9
const { patterns, messages } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const regexes = patterns.map(({ source, flags, respond }) =>
  new RegExp(respond ? `^\\s*[@]?heybot[:,]?\\s*(?:${source})` : source, flags))

const now = () => Number(process.hrtime.bigint())

/** Returns the number of patterns that match a message. */
function hitsOf (text) {
  let hits = 0
  for (const regex of regexes) {
    if (text.match(regex)) hits += 1
  }
  return hits
}

// The first pass also warms up, and determines the number of messages.
let start = now()
let used = 0
let hits = 0
while (used < messages.length && now() - start < budget) hits += hitsOf(messages[used++])
const passes = Math.max(1, Math.floor(budget / 10 / (now() - start))) // Few messages are matched several times.

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
