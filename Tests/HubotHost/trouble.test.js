'use strict';

// Scripts that print, exit, log in a loop, or fail where nothing waits for them.

const assert = require('node:assert');
const { test } = require('node:test');
const { hostWith } = require('./driver');

test('what a script prints goes to the log, never into the protocol', async (t) => {
    const host = await hostWith(t, {
        'a.js': `const { execSync, spawn, spawnSync, fork } = require('child_process')
        const fs = require('fs')
        console.log('while loading', { a: 1 })
        module.exports = (robot) => {
            robot.hear(/print/, (res) => {
                console.log('one %d', 1)
                console.info('two\\nlines')
                process.stdout.write('in ')
                process.stdout.write('pieces\\n')
                process.stdout.write('no end')
                fs.writeSync(1, 'by descriptor\\n')
                fs.write(1, 'asynchronously\\n', () => {})
                execSync('echo by a program', { stdio: 'inherit' })
                spawnSync('echo', ['by another'], { stdio: [0, 1, 2] })
                console.error('to standard error')
            })
            robot.hear(/fork/, (res) => {
                fork(__dirname + '/lib/child.js').on('exit', () => res.send('forked'))
            })
            robot.hear(/input/, (res) => {
                process.stdin.on('data', () => {}).on('end', () => res.send('no input'))
            })
        }`,
        'lib/child.js': 'console.log("a child prints")',
    });
    await host.hear('print');
    await host.hear('fork');
    await host.next({ type: 'send' });
    await host.hear('input');
    await host.next((message) => message.type === 'send' && message.strings[0] === 'no input');
    const texts = host.of('log').map(({ text }) => text);
    for (const text of ['while loading { a: 1 }', 'one 1', 'two', 'lines', 'in pieces', 'by descriptor', 'asynchronously']) {
        assert.ok(texts.some((one) => one === text || one === `no end${text}`), `${text} in ${texts}`);
    }
    assert.deepStrictEqual(host.badLines, []);
    for (const text of ['by a program', 'by another', 'a child prints', 'to standard error']) {
        assert.ok(host.stderr.includes(text), `${text} in ${host.stderr}`);
    }
});

test('what a script prints past the console goes to the log too', async (t) => {
    const forged = (name) => `{"type":"send","request":1,"kind":"send","strings":["${name}"],"room":"#x"}`;
    const host = await hostWith(t, {
        'a.js': `const fs = require('fs')
        const { promisify } = require('util')
        const { writeFileSync } = fs
        module.exports = (robot) => {
            const text = (name) => '{"type":"send","request":1,"kind":"send","strings":["' + name + '"],"room":"#x"}\\n'
            robot.hear(/print/, async (res) => {
                writeFileSync(1, text('a'))
                fs.writeFileSync('/dev/stdout', Buffer.from(text('b')))
                fs.appendFileSync(1, text('c'))
                fs.appendFileSync('/proc/self/fd/1', text('d'))
                fs.writevSync(1, [Buffer.from(text('e').slice(0, 5)), Buffer.from(text('e').slice(5))])
                await new Promise((resolve) => fs.createWriteStream(null, { fd: 1 }).end(text('f'), resolve))
                await new Promise((resolve) => fs.createWriteStream('/dev/stdout').end(text('g'), resolve))
                const descriptor = fs.openSync('/dev/fd/1', 'a')
                fs.writeSync(descriptor, Buffer.from('no' + text('h') + 'no'), 2, text('h').length)
                fs.closeSync(descriptor)
                await promisify(fs.writeFile)(new URL('file:///dev/stdout'), text('i'))
                await fs.promises.appendFile('/dev/stdout', text('j'), 'utf8')
                await fs.promises.writeFile('/dev/stdout', require('stream').Readable.from([text('k')]))
                const { bytesWritten } = await promisify(fs.write)(1, Buffer.from(text('l') + 'no'), { length: text('l').length })
                fs.writeFileSync(1, 'no line end')
                const file = __dirname + '/file.txt'
                fs.writeFileSync(file, 'x')
                fs.appendFileSync(file, 'y')
                await fs.promises.appendFile(file, 'z')
                res.send('written ' + bytesWritten + fs.readFileSync(file))
            })
        }`,
    });
    assert.deepStrictEqual(await host.hear('print'), [['send', `written ${forged('l').length + 1}xyz`]]);
    await host.next({ type: 'log', text: 'no line end' });
    assert.deepStrictEqual(host.of('log').map(({ text }) => text).slice(-13, -1), [...'abcdefghijkl'].map(forged));
    assert.deepStrictEqual(host.badLines, []);
});

test('what reaches the protocol all the same without a line end spoils no message', async (t) => {
    const host = await hostWith(t, {
        'a.js': `const { Worker } = require('worker_threads')
        module.exports = (robot) => {
            robot.hear(/x/, (res) => { new Worker('require("fs").writeSync(1, "past everything")', { eval: true }).on('exit', () => res.send('answered')) })
        }`,
    });
    await host.hear('x');
    await host.next(({ type, strings }) => type === 'send' && strings[0] === 'answered');
    assert.deepStrictEqual(host.badLines, ['past everything']);
});

test('a text without a line end is in the log', async (t) => {
    const host = await hostWith(t, { 'a.js': 'module.exports = (robot) => { robot.hear(/x/, () => { process.stdout.write("no end") }) }' });
    await host.hear('x');
    await host.next({ type: 'log', text: 'no end' });
});

test('a script cannot end the process', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.respond(/die/, (res) => { res.send('goodbye'); process.exit(3); res.send('never') })
            robot.hear(/later/, () => { setTimeout(() => process.exit(), 1) })
            robot.hear(/abort/, () => { process.abort() })
            robot.hear(/kill/, () => { process.kill(process.pid, 'SIGKILL') })
            robot.hear(/parent/, () => { process.kill(process.ppid) })
            robot.hear(/group/, (res) => {
                for (const pid of [0, -1, -process.pid, String(process.ppid)]) {
                    try { process.kill(pid, 'SIGKILL') } catch (error) { res.send(error.message) }
                }
                res.send(String(process.kill(process.ppid, 0)))
            })
            robot.hear(/shutdown/, () => { robot.shutdown() })
            robot.hear(/async/, async () => { await null; process.exit(4) })
        }`,
    });
    assert.deepStrictEqual(await host.hear('hubot die'), [['send', 'goodbye']]);
    await host.next({ type: 'log', script: 'a.js', text: "the script has called process.exit(3), which doesn't end the robot" });
    await host.hear('later');
    await host.next({ type: 'log', script: 'a.js', text: "the script has called process.exit(), which doesn't end the robot" });
    await host.hear('abort');
    await host.hear('kill');
    await host.hear('parent');
    await host.next({ type: 'log', script: 'a.js', text: `the script has called process.kill(${process.pid}), which doesn't end the robot` });
    assert.deepStrictEqual(await host.hear('group'), [
        ['send', 'the script has called process.kill(0, SIGKILL)'], ['send', 'the script has called process.kill(-1, SIGKILL)'],
        ['send', `the script has called process.kill(${-host.child.pid}, SIGKILL)`], ['send', `the script has called process.kill(${process.pid}, SIGKILL)`], ['send', 'true'],
    ]);
    await host.hear('shutdown');
    await host.next(({ type, text }) => type === 'log' && /robot.shutdown in a.js does nothing/.test(text));
    await host.hear('async');
    await host.next(({ type, text }) => type === 'log' && /process.exit\(4\)/.test(text));
    assert.deepStrictEqual(host.of('error'), []);
    assert.deepStrictEqual(await host.hear('hubot die'), [['send', 'goodbye']]);
});

test('errors that nothing catches go to the error handlers, and to the robot with the script', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.error((err, res) => { robot.logger.info('handler 1 ' + err.message + (res ? ' with response' : '')) })
            robot.error(() => { throw new Error('handler is broken') })
            robot.error(async () => { throw new Error('async handler is broken') })
            robot.error(() => { robot.logger.info('handler 3') })
        }`,
        'b.js': `module.exports = (robot) => {
            robot.hear(/timer/, () => { setTimeout(() => { throw new Error('in a timer') }, 1) })
            robot.hear(/promise/, () => { Promise.reject(new Error('in a promise')) })
            robot.hear(/odd/, () => { setTimeout(() => { throw null }, 1) })
            robot.hear(/matcher/, () => {})
            robot.listen(() => { throw new Error('in a matcher') }, () => {})
            robot.on('broken', () => { throw new Error('in a handler of an event') })
        }`,
        'c.js': 'module.exports = (robot) => { robot.hear(/event/, () => { robot.emit("broken") }) }',
    });
    await host.hear('timer');
    const timer = await host.next({ type: 'error', message: 'in a timer' });
    assert.deepStrictEqual([timer.script, timer.line, timer.run], ['b.js', 2, host.of('result').find(({ matched }) => matched).run]);
    await host.next({ type: 'log', text: 'handler 1 in a timer' });
    await host.next({ type: 'log', text: 'handler 3' });
    await host.next({ type: 'error', message: 'an error handler failed: handler is broken' });
    await host.next({ type: 'error', message: 'an error handler failed: async handler is broken' });
    await host.hear('promise');
    assert.strictEqual((await host.next({ type: 'error', message: 'in a promise' })).script, 'b.js');
    await host.hear('odd');
    assert.strictEqual((await host.next({ type: 'error', message: 'null' })).script, 'b.js');
    assert.strictEqual((await host.next({ type: 'error', message: 'in a matcher' })).script, 'b.js');
    await host.next({ type: 'log', text: 'handler 1 in a matcher with response' });
    await host.hear('event');
    assert.strictEqual((await host.next({ type: 'error', message: 'in a handler of an event' })).script, 'b.js');
});

test('a value that is no error, and errors of callbacks, belong to their script', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/text/, () => { Promise.reject('a text') })
            robot.hear(/later/, async () => { await new Promise((resolve) => setTimeout(resolve, 1)); Promise.reject({ odd: true }) })
            robot.hear(/file/, () => { require('fs').readFile('/nothing', () => { throw 'of a file' }) })
            robot.hear(/next/, () => { process.nextTick(() => { throw 7 }) })
            robot.hear(/emitter/, () => { const emitter = new (require('events'))(); setImmediate(() => emitter.emit('error', 'of an emitter')) })
        }`,
        'b.js': 'module.exports = () => {}',
    });
    for (const [text, message] of [['text', "'a text'"], ['later', '{ odd: true }'], ['file', "'of a file'"], ['next', '7'], ['emitter', /of an emitter/]]) {
        await host.hear(text);
        const error = await host.next((one) => one.type === 'error' && (message instanceof RegExp ? message.test(one.message) : one.message === message));
        assert.deepStrictEqual([error.script, error.run], ['a.js', host.of('result').filter(({ matched }) => matched).at(-1).run], text);
    }
});

test('a script that fails in a loop', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.hear(/loop/, (res) => { for (let i = 0; i < 10000; i += 1) { robot.emit("error", new Error("x")) } res.send("done") }) }',
    });
    assert.deepStrictEqual(await host.hear('loop'), [['send', 'done']]);
    await host.next(({ type, dropped }) => type === 'log' && dropped > 0);
    assert.ok(host.of('error').length < 5000, String(host.of('error').length));
    await host.next(() => host.of('log').reduce((sum, { dropped }) => sum + (dropped ?? 0), host.of('error').length) === 10000);
});

test('a script that logs in a loop', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.hear(/loop/, (res) => { for (let i = 0; i < 100000; i += 1) { console.log('x'.repeat(20000)) } res.send('done') })
        }`,
    });
    const start = Date.now();
    assert.deepStrictEqual(await host.hear('loop'), [['send', 'done']]);
    const seconds = (Date.now() - start) / 1000;
    const dropped = await host.next(({ type, dropped: count }) => type === 'log' && count > 0);
    assert.match(dropped.text, /\d+ log messages were dropped/);
    const lines = host.of('log').filter(({ text }) => text.startsWith('xxx'));
    // 2,000 at once, and 200 per second, of which a busy machine may need many.
    assert.ok(lines.length < 2 * (2000 + 200 * seconds), String(lines.length));
    assert.ok(lines.every(({ text }) => text.length === 8000));
    // All that was dropped is counted.
    await host.next(() => host.of('log').reduce((sum, { dropped: count }) => sum + (count ?? 0), lines.length) === 100000);
});

test('a robot that does not read slows scripts down, but loses nothing', async (t) => {
    const host = await hostWith(t, {
        'a.js': 'module.exports = (robot) => { robot.hear(/flood/, (res) => { for (let i = 0; i < 500; i += 1) { res.send(i + " " + "x".repeat(5000)) } }) }',
    });
    host.child.stdout.pause();
    host.write({ type: 'message', run: 1, listener: 1, message: host.message('flood') });
    setTimeout(() => host.child.stdout.resume(), 100);
    await host.next({ type: 'result', run: 1 });
    assert.deepStrictEqual(host.of('send').map(({ strings }) => parseInt(strings[0], 10)), Array.from(Array(500).keys()));
});

test('a handler of the event error that fails, and a message that makes no sense', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.on('error', () => { throw new Error('the handler itself') })
            robot.hear(/x/, () => { throw new Error('the listener') })
        }`,
    });
    host.write({ type: 'message', run: 77, listener: 1 });
    await host.next(({ type, level, text }) => type === 'log' && level === 'error' && /can't handle the robot's message message/.test(text));
    const result = await host.ask(host.listeners()[0], host.message('x'));
    assert.deepStrictEqual([result.matched, result.error], [true, 'the listener']);
    await host.next({ type: 'error', message: 'a handler of the event error failed: the handler itself' });
});

test('scripts that damage what the host needs: each question is answered, and the process ends', async (t) => {
    const host = await hostWith(t, { 'a.js': `module.exports = (robot) => {
        robot.respond(/damage$/, () => { robot.Response = null; });
        robot.respond(/hi$/, (res) => res.send('hi'));
    }` });
    await host.hear('Hubot damage');
    for (let index = 0; index < 5; index += 1) {
        const { id } = host.listeners().at(-1);
        host.write({ type: 'message', run: 100 + index, listener: id, message: { number: 100 + index, kind: 'text', room: '#a', user: { id: 'u', name: 'u', adapter: 'irc' }, text: 'Hubot hi' } });
        const result = await host.next({ type: 'result', run: 100 + index });
        assert.deepStrictEqual([result.matched, result.error], [true, "the host couldn't call the listener"]);
    }
    await host.next((message) => message.type === 'log' && /scripts have changed JavaScript objects that the host needs/.test(message.text));
});
