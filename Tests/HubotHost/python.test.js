'use strict';

// The protocol in another language: a small host in Python, which the same driver talks to.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder } = require('./driver');

const host = ['python3', path.join(__dirname, 'python_host.py')];

test('a host in Python answers, prints into the log, and names errors', async (t) => {
    const made = folder(t, {
        'a.py': '# command: hubot double <number> - Doubles it\ndef register(robot):\n    print("loading")\n    robot.respond(r"double (\\d+)", lambda res: res.send(str(2 * int(res.match[1]))))\n    robot.hear("snake", lambda res: res.reply("hiss", "é"))\n    robot.hear("broken", lambda res: 1 / 0)\n',
        'b.py': 'def register(robot):\n    robot.nothing()\n',
    });
    const driver = new Driver({ command: host });
    t.after(() => driver.stop());
    const ready = await driver.start([path.join(made, 'a.py'), path.join(made, 'b.py')]);
    assert.match(ready.language, /^Python 3/);
    assert.deepStrictEqual(driver.of('script')[0].commands, ['hubot double <number> - Doubles it']);
    assert.deepStrictEqual([driver.of('script')[1].error.line, path.basename(driver.of('script')[1].error.file)], [2, 'b.py']);
    assert.deepStrictEqual(await driver.hear('hubot double 21'), [['send', '42']]);
    assert.deepStrictEqual(await driver.hear('double 21'), []);
    assert.deepStrictEqual(await driver.hear('a SNAKE'), [['reply', 'hiss', 'é']]);
    await driver.hear('broken');
    assert.strictEqual((await driver.next({ type: 'error' })).script, 'a.py');
    assert.strictEqual(driver.of('result').at(-1).error, 'division by zero');
    assert.strictEqual(driver.of('log')[0].text, 'loading');
    driver.write({ type: 'ping', id: 7 });
    await driver.next({ type: 'pong', id: 7 });
    assert.deepStrictEqual(driver.badLines, []);
    assert.strictEqual((await driver.stop()).code, 0);
});
