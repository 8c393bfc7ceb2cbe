'use strict';

// To which script something belongs that happens outside of its listeners.

const assert = require('node:assert');
const path = require('path');
const { test } = require('node:test');
const { Driver, folder, hostWith } = require('./driver');

test('what a script does in its handlers of events belongs to it, and each listener has a number of its own', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => {
            robot.brain.on('loaded', () => {
                robot.respond(/aa/, (res) => res.send('a1'))
                robot.hear(/aa/, (res) => res.send('a2'))
                robot.router.get('/late', (req, res) => res.send('late'))
                robot.messageRoom('#x', 'from a')
                robot.logger.info('logged by a')
            })
            robot.hear(/emit/, () => robot.emit('asked', 'x'))
        }`,
        'b.js': `module.exports = (robot) => {
            robot.on('running', () => robot.hear(/bb/, (res) => res.send('b1')))
            robot.brain.once('loaded', () => { setTimeout(() => robot.hear(/bb/, (res) => res.send('b2')), 1) })
            robot.adapter.on('connected', function () { this.seen = true; robot.hear(/adapter/, (res) => res.send(String(robot.adapter.seen))) })
            robot.on('asked', (word) => robot.messageRoom('#x', 'from b ' + word))
        }`,
        'c.js': `let count = 0
        module.exports = (robot) => {
            const handler = () => { count += 1 }
            robot.on('asked', handler)
            robot.once('asked', handler)
            robot.brain.prependOnceListener('counted', handler)
            robot.brain.addListener('counted', handler)
            robot.brain.removeListener('counted', handler).removeListener('counted', handler)
            robot.hear(/count/, (res) => { robot.brain.emit('counted'); res.send(count + ' ' + (robot.events.listeners('asked').at(-1) === handler)); robot.off('asked', handler) })
        }`,
    }, { brain: true, web: true });
    host.write({ type: 'brain', entries: [], last: true });
    await host.next(() => host.listeners().length === 7);
    const late = host.listeners().slice(2).map(({ script, ordinal, pattern }) => [script, ordinal, pattern]);
    assert.deepStrictEqual(late.sort(), [['a.js', 1, 'aa'], ['a.js', 2, 'aa'], ['b.js', 0, 'bb'], ['b.js', 1, 'adapter'], ['b.js', 2, 'bb']]);
    assert.deepStrictEqual(await host.hear('hubot aa'), [['send', 'a1'], ['send', 'a2']]);
    assert.deepStrictEqual(await host.hear('bb'), [['send', 'b1'], ['send', 'b2']]);
    assert.deepStrictEqual(await host.hear('adapter'), [['send', 'true']]);
    assert.strictEqual((await host.next(({ type, strings }) => type === 'send' && strings[0] === 'from a')).script, 'a.js');
    assert.strictEqual((await host.next({ type: 'log', text: 'logged by a' })).script, 'a.js');
    assert.deepStrictEqual(host.of('routes').at(-1).routes, [{ method: 'GET', path: '/late', script: 'a.js' }]);
    host.write({ type: 'webRequest', id: 1, method: 'GET', url: '/late', headers: [['Host', 'x']], disabled: ['a.js'] });
    assert.strictEqual((await host.next({ type: 'webResponse', id: 1 })).status, 404);
    // It is still part of the message for which the event was emitted.
    const before = host.run;
    await host.hear('emit');
    const emitted = await host.next(({ type, strings }) => type === 'send' && strings[0] === 'from b x');
    assert.ok(emitted.script === 'b.js' && emitted.run > before, JSON.stringify(emitted));
    assert.deepStrictEqual(await host.hear('count'), [['send', '2 true']]);
    await host.hear('emit');
    assert.deepStrictEqual(await host.hear('count'), [['send', '2 false']]);
});

test('listeners whose script only the stack shows, and those of an unknown script', async (t) => {
    // Nobody calls the getter for a script: the host does, when it looks for changes of the brain.
    const host = await hostWith(t, {
        'a.js': `const vm = require('vm')
        module.exports = (robot) => {
            const once = (add) => { let added = 0; return () => { added += 1; if (added === 1) { add() } return 1 } }
            const hidden = vm.runInThisContext('(robot, once) => once(() => { robot.hear(/two/, () => {}); robot.hear(/three/, () => {}) })')
            robot.brain.on('loaded', () => {
                Object.defineProperty(robot.brain.data, 'a', { enumerable: true, get: once(() => robot.hear(/one/, () => {})) })
                Object.defineProperty(robot.brain.data, 'b', { enumerable: true, get: hidden(robot, vm.runInThisContext(String(once))) })
            })
        }`,
    }, { brain: true });
    host.write({ type: 'brain', entries: [], last: true });
    await host.next({ type: 'listener', pattern: 'three' });
    const found = host.listeners().map(({ script, ordinal, pattern }) => [script, ordinal, pattern]);
    assert.deepStrictEqual(found, [['a.js', 0, 'one'], [undefined, 0, 'two'], [undefined, 1, 'three']]);
});

test('what the robot must leave out so that a script is not loaded', async (t) => {
    const made = folder(t, {
        'a.js': "module.exports = (robot) => { robot.loadFile(__dirname + '/lib', 'b.js'); robot.on('more', () => robot.loadFile(__dirname + '/lib', 'd.js')); robot.loadExternalScripts(['two']) }",
        'lib/b.js': "module.exports = (robot) => { robot.loadFile(__dirname, 'c.js'); robot.hear(/more/, () => robot.emit('more')) }",
        'lib/c.js': 'module.exports = () => {}',
        'lib/d.js': 'module.exports = () => {}',
        'node_modules/one/index.js': "module.exports = (robot) => { robot.loadFile(__dirname + '/src', 'x.js') }",
        'node_modules/one/src/x.js': "// Commands:\n//   hubot x - X\nmodule.exports = (robot) => { robot.loadFile(__dirname, 'y.mjs') }",
        'node_modules/one/src/y.mjs': 'export default () => {}',
        'node_modules/two/index.js': "module.exports = (robot) => { robot.loadFile(__dirname, 'z.js') }",
        'node_modules/two/z.js': 'module.exports = () => {}',
    });
    const host = new Driver({ cwd: made });
    t.after(() => host.stop());
    await host.start([path.join(made, 'a.js')], { external: { folder: made, packages: ['one'] } });
    await host.hear('more');
    const owners = Object.fromEntries(host.of('loading').map(({ script, package: name, parent }) => [script, { name, parent }]));
    const [a, one] = [{ name: undefined, parent: 'a.js' }, { name: 'one', parent: undefined }];
    assert.deepStrictEqual(owners, {
        'a.js': { name: undefined, parent: undefined }, 'b.js': a, 'c.js': a, 'd.js': a, two: a, 'z.js': a, one, 'x.js': one, 'y.mjs': one,
    });
    assert.deepStrictEqual((await host.next({ type: 'script', id: 'x.js' })).commands, ['hubot x - X']);
});

test('finish of a listener that came later stops the others', async (t) => {
    const host = await hostWith(t, {
        'a.js': `module.exports = (robot) => { robot.on('running', () => {
            robot.hear(/hi/, (res) => { res.send('one'); res.finish() })
            robot.hear(/hi/, async (res) => { res.send('two'); res.message.finish(); throw new Error('failed') })
            robot.hear(/hi/, (res) => res.send('three'))
        }) }`,
    });
    const results = [];
    for (const listener of host.listeners()) {
        results.push(await host.ask(listener, host.message('hi')));
    }
    assert.deepStrictEqual(results.map(({ matched, finished }) => [matched, finished]), [[true, true], [true, true], [true, false]]);
    assert.deepStrictEqual(await host.hear('hi'), [['send', 'one']]);
});
