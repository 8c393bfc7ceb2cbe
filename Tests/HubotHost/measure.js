'use strict';

// Measures the script host alone, over pipes: node Tests/HubotHost/measure.js. Its figures aren't a test.

const fs = require('fs');
const os = require('os');
const path = require('path');
const { Driver } = require('./driver');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'measure-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function median(times) {
    return times.sort((one, other) => one - other)[Math.floor(times.length / 2)];
}

function milliseconds(since) {
    return Number(process.hrtime.bigint() - since) / 1e6;
}

/** The time from a message to its result, in milliseconds. */
async function runs(driver, listener, text, count) {
    const times = [];
    for (let index = 0; index < count; index += 1) {
        const message = driver.message(text);
        driver.received.length = 0;
        const start = process.hrtime.bigint();
        await driver.ask(listener, message);
        times.push(milliseconds(start));
        driver.write({ type: 'end', number: message.number });
    }
    return median(times);
}

async function main() {
    const sources = [];
    for (let index = 0; index < 100; index += 1) {
        const lines = [`# Description:\n#   Script ${index}\n#\n# Commands:\n#   hubot command${index} <text> - Does it\n`, 'module.exports = (robot) ->\n'];
        for (let part = 0; part < 5; part += 1) {
            lines.push(`  robot.respond /command${index} ${part} (.*)/i, (msg) ->\n    items = (item.trim() for item in msg.match[1].split ',' when item)\n    msg.send "#{items.length}: #{items.join ' and '}"\n\n`);
        }
        const file = path.join(folder, `script${index}.coffee`);
        fs.writeFileSync(file, lines.join(''));
        sources.push(file);
    }
    const cache = path.join(folder, 'cache');
    for (const state of ['nothing compiled', 'all compiled', 'all compiled']) {
        const start = process.hrtime.bigint();
        const driver = new Driver();
        await driver.start(sources, { cache });
        const memory = /VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${driver.child.pid}/status`, 'utf8'))[1];
        console.log(`start with 100 CoffeeScript files, ${state}: ${milliseconds(start).toFixed(0)} ms, ${(memory / 1024).toFixed(0)} MB`);
        await driver.stop();
    }
    const file = path.join(folder, 'one.js');
    fs.writeFileSync(file, `module.exports = (robot) => {
        robot.respond(/silent (.*)/i, () => {})
        robot.respond(/speak (.*)/i, (res) => { res.send(res.match[1]) })
        robot.respond(/async (.*)/i, async (res) => { await res.send(res.match[1]) })
    }`);
    const driver = new Driver();
    await driver.start([file]);
    const [silent, speak, promise] = driver.listeners();
    await runs(driver, silent, 'hubot silent warm', 2000);
    for (const [name, listener, text] of [['no match', silent, 'nothing'], ['match', silent, 'hubot silent x'], ['match and send', speak, 'hubot speak x'], ['match and await send', promise, 'hubot async x']]) {
        console.log(`from message to result, ${name}: ${(1000 * await runs(driver, listener, text, 5000)).toFixed(0)} µs at the median`);
    }
    await driver.stop();
}

main();
