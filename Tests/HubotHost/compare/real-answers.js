'use strict';

// Loads one script into a real Hubot, says texts to it, and prints what it sends: node real-answers.js HUBOT_DIR SCRIPT TEXTS

const path = require('path');
const { realHubot } = require('./real-hubot');

const [hubotFolder, script, texts] = process.argv.slice(2);
const { hubot, print } = realHubot(hubotFolder, script);
const { TextMessage, loadBot } = hubot('./index.js');
const robot = loadBot(null, 'nowhere', false, 'Hubot', false);
let sent = [];
for (const kind of ['send', 'reply', 'emote', 'topic', 'play', 'locked']) {
    robot.adapter[kind] = (envelope, ...strings) => { sent.push([kind, ...strings.filter((text) => typeof text !== 'function').map(String)]); };
}
robot.logger.error = () => {};
robot.on('error', () => {});
robot.loadFile(path.dirname(script), path.basename(script));
robot.brain.emit('loaded', robot.brain.data);
process.on('uncaughtException', () => {});
process.on('unhandledRejection', () => {});

async function main() {
    const answers = [];
    for (const [number, text] of JSON.parse(texts).entries()) {
        sent = [];
        // As adapters do.
        const user = robot.brain.userForId('ada', { name: 'Ada', room: '#room' });
        robot.receive(new TextMessage(user, text, `m${number + 1}`));
        await new Promise((resolve) => { setTimeout(resolve, 150); });
        answers.push(sent);
    }
    print(answers);
}

main();
