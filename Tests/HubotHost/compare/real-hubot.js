'use strict';

const Module = require('module');
const path = require('path');

/**
 * A real Hubot, as the scripts of a file see it: they require Hubot and what it brings along from where they are, and the robot
 * requires its adapter.
 */
function realHubot(folder, script) {
    const hubot = Module.createRequire(path.join(folder, 'package.json'));
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
    const exit = process.exit;
    process.exit = () => { throw new Error('exit'); };
    return { hubot, print: (result) => process.stdout.write(`${JSON.stringify(result)}\n`, () => exit(0)) };
}

module.exports = { realHubot };
