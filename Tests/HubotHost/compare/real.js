'use strict';

// Loads one script into a real Hubot, and prints what it has registered: node real.js HUBOT_DIR SCRIPT

const Module = require('module');
const path = require('path');

const [hubotFolder, script] = process.argv.slice(2);
const hubot = Module.createRequire(path.join(hubotFolder, 'package.json'));

// Scripts require Hubot and what it brings along from where they are, and the robot requires its adapter.
const known = new Map([['hubot', './index.js'], ['scoped-http-client', 'scoped-http-client'], ['coffee-script', 'coffeescript']]
    .map(([name, request]) => [name, hubot.resolve(request)]));
known.set('hubot-nowhere', path.join(__dirname, 'nowhere.js'));
const resolve = Module._resolveFilename;
Module._resolveFilename = function resolveFilename(request, ...others) {
    return known.get(request) ?? resolve.call(this, request, ...others);
};
hubot('coffeescript');
process.chdir(path.dirname(script));
console.log = console.error;

let error = null;
const exit = process.exit;
process.exit = () => { throw new Error('exit'); };
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
process.stdout.write(`${JSON.stringify({ loaded: error === null, error, listeners, help: robot.commands })}\n`, () => exit(0));
