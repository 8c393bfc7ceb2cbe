'use strict';

// A brain that the robot keeps.

const assert = require('assert');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { test } = require('node:test');
const { Driver } = require('./driver');

function script(text) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'heybot-brain-'));
    const file = path.join(folder, 'brain.js');
    fs.writeFileSync(file, text);
    return file;
}

const counting = `
module.exports = (robot) => {
  robot.brain.on('loaded', () => { robot.brain.data.karma = robot.brain.data.karma || {}; });
  robot.respond(/up (.*)$/, (res) => {
    const { karma } = robot.brain.data;
    karma[res.match[1]] = (karma[res.match[1]] || 0) + 1;
    robot.brain.set('last', res.match[1]);
    robot.brain.save();
    res.send(String(karma[res.match[1]]));
  });
  robot.respond(/down (.*)$/, (res) => {
    delete robot.brain.data.karma[res.match[1]];
    robot.brain.data.list = [1, { two: 2 }];
  });
  robot.respond(/cycle$/, () => {
    robot.brain.data.cycle = {}; robot.brain.data.cycle.me = robot.brain.data;
    robot.brain.save();
  });
  robot.respond(/last$/, (res) => res.send(robot.brain.get('last') + ' ' + robot.brain.userForName('Bob').color));
};`;

test('the robot keeps what scripts change, entry by entry', async () => {
    const driver = new Driver();
    await driver.start([script(counting)], { brain: true });
    driver.write({ type: 'brain', entries: [{ key: '["karma","tea"]', value: 4 }], last: false });
    driver.write({ type: 'brain', entries: [], last: true });
    const [up, down] = driver.listeners();
    await driver.ask(up, driver.message('hubot up tea'));
    assert.equal((await driver.next({ type: 'send' })).strings[0], '5');
    const changed = await driver.next({ type: 'brain' });
    const byKey = new Map(changed.entries.map(({ key, value }) => [key, value]));
    assert.equal(byKey.get('["_private","last"]'), 'tea');
    assert.equal(byKey.get('["karma","tea"]'), 5);
    await driver.ask(down, driver.message('hubot down tea'));
    // Without saving: the host looks by itself.
    const removed = await driver.next((message) => message.type === 'brain' && message.entries.some(({ key }) => key === '["list"]'));
    assert.deepEqual(removed.entries, [
        { key: '["karma"]', value: {} }, { key: '["list"]', value: [1, { two: 2 }] }, { key: '["karma","tea"]' },
    ]);
    driver.write({ type: 'stop' });
    assert.equal((await driver.ended).code, 0);
});

test('kept users are users, and an entry that is no JSON is named', async () => {
    const driver = new Driver();
    await driver.start([script(counting)], { brain: true });
    driver.write({
        type: 'brain', last: true,
        entries: [{ key: '["users","b"]', value: { id: 'b', name: 'Bob', color: 'red' } }, { key: '["_private","last"]', value: 'milk' }],
    });
    const [, , cycle, last] = driver.listeners();
    await driver.ask(last, driver.message('hubot last'));
    assert.equal((await driver.next({ type: 'send' })).strings[0], 'milk red');
    await driver.ask(cycle, driver.message('hubot cycle'));
    assert.match((await driver.next((message) => message.type === 'log' && message.level === 'error')).text, /\["cycle","me"\] can't be kept/);
    driver.write({ type: 'stop' });
    assert.equal((await driver.ended).code, 0);
});
