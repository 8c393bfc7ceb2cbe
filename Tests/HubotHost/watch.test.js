'use strict';

// Scripts that don't return, or use up the memory: the robot learns which one it is, and where.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { hostWith } = require('./driver');

const innocent = 'module.exports = (robot) => { robot.hear(/hello/, (res) => res.send("hi")) }';

/** What the robot is told while a script does something in a listener. */
async function busyWith(t, code, env = {}, busyTime = 300) {
    const host = await hostWith(t, { 'a.js': innocent, 'b.js': `module.exports = (robot) => {\n    robot.hear(/go/, (res) => {\n        ${code}\n    })\n}` }, { busyTime }, { env });
    host.write({ type: 'message', run: 5, listener: 2, message: host.message('go') });
    // On a busy machine, the process may stand still while it loads the scripts, too.
    const busy = await host.next({ type: 'busy', run: 5 });
    assert.deepStrictEqual([busy.script, busy.run, busy.listener], ['b.js', 5, 2], JSON.stringify(busy));
    return { host, busy };
}

const endless = {
    'a loop in a listener': 'for (;;) {}',
    'a loop in a timer': 'setTimeout(() => { for (;;) {} }, 1)',
    'an endless chain of promises': 'const next = () => Promise.resolve().then(next)\nnext()',
    'an async function without an end': '(async () => { for (;;) { await null } })()',
    'a regular expression': '/^(a+)+$/.test("a".repeat(60) + "b")',
    'a loop that prints': 'for (;;) { console.log("x".repeat(5000)) }',
    'a loop that sends': 'for (;;) { res.send("x") }',
    'a program that it waits for': 'require("child_process").execSync("sleep 60", { stdio: "ignore" })',
};
for (const [name, code] of Object.entries(endless)) {
    test(`${name} is reported with its script, run and listener`, async (t) => {
        const { host, busy } = await busyWith(t, code);
        assert.strictEqual(busy.reason, 'time');
        assert.ok(busy.milliseconds >= 300 && busy.milliseconds < 600000, String(busy.milliseconds));
        if (!/async|chain/.test(name)) {
            assert.deepStrictEqual([path.basename(busy.file), busy.line], ['b.js', 3]);
        }
        assert.deepStrictEqual(host.badLines, []);
        host.child.kill('SIGKILL');
    });
}

test('a script that uses up the memory is named before the process ends', async (t) => {
    for (const code of ['const all = []; for (;;) { all.push(new Array(100).fill(0)) }', 'const all = []; setInterval(() => { all.push(new Array(20000).fill({})) }, 1)']) {
        const { host, busy } = await busyWith(t, code, { NODE_OPTIONS: '--max-old-space-size=256' }, 600000);
        assert.strictEqual(busy.reason, 'memory');
        assert.strictEqual((await host.ended).signal, 'SIGABRT');
    }
});

test('a script that works for a moment, or waits, is not reported', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/work/, async (res) => {
                const end = Date.now() + 200
                while (Date.now() < end);
                await new Promise((resolve) => setTimeout(resolve, 1500))
                res.send('done')
            })
        }`,
    }, { busyTime: 1000 });
    // On a busy machine, the process may stand still for longer than a moment: then it is asked again.
    let reports;
    for (let round = 0; round < 20 && reports !== 0; round += 1) {
        const before = host.of('busy').length;
        assert.deepStrictEqual(await host.hear('work'), [['send', 'done']]);
        reports = host.of('busy').length - before;
    }
    assert.strictEqual(reports, 0);
    // The other thread doesn't keep the process alive.
    assert.strictEqual((await host.stop()).code, 0);
});

test('a robot that does not ask for it gets no reports', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/x/, (res) => { const end = Date.now() + 1500; while (Date.now() < end); res.send("y") }) }' });
    assert.deepStrictEqual(await host.hear('x'), [['send', 'y']]);
    assert.deepStrictEqual(host.of('busy'), []);
});
