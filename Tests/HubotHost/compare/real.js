'use strict';

// Loads one script into a real Hubot, and prints what it has registered: node real.js HUBOT_DIR SCRIPT

const path = require('path');
const { realHubot } = require('./real-hubot');

const [hubotFolder, script] = process.argv.slice(2);
const { hubot, print } = realHubot(hubotFolder, script);
let error = null;
const robot = hubot('./index.js').loadBot(null, 'nowhere', false, 'Hubot', false);
robot.logger.error = (text) => { if (/^Unable to load/.test(text)) { error ??= String(text).split('\n').slice(0, 2).join(' '); } };
robot.logger.warning = (text) => { if (/^Expected/.test(text)) { error ??= text; } };
try {
    robot.loadFile(path.dirname(script), path.basename(script));
} catch (thrown) {
    error ??= thrown.message;
}
// As Heybot does when all scripts are loaded.
try {
    robot.brain.emit('loaded', robot.brain.data);
} catch (thrown) {
    // It has loaded all the same.
}
const listeners = robot.listeners.map((listener) => (listener.regex ? String(listener.regex) : 'listen'));
print({ loaded: error === null, error, listeners, help: robot.commands });
