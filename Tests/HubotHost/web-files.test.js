'use strict';

// Files that routes send.

const assert = require('node:assert');
const { test } = require('node:test');
const { hostWith } = require('./driver');

/** A host with a script, and a function that asks it for a file. */
async function serving(t, source, files) {
    const host = await hostWith(t, { 'a.js': source, ...files }, { web: true });
    let id = 0;
    return async (url, headers = {}) => {
        id += 1;
        host.write({ type: 'webRequest', id, method: 'GET', url, headers: [['Host', 'x'], ...Object.entries(headers)] });
        const { status, headers: fields, body } = await host.next({ type: 'webResponse', id });
        return { status, headers: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])), text: Buffer.from(body ?? '', 'base64').toString() };
    };
}

test('files whose names begin with a dot are not sent, unless the script allows it', async (t) => {
    const ask = await serving(t, `const path = require('path')
    const root = path.join(__dirname, 'pub')
    module.exports = (robot) => {
        robot.router.get('/file/*', (req, res) => res.sendFile(req.params[0], { root }))
        robot.router.get('/deny/*', (req, res) => res.sendFile(req.params[0], { root, dotfiles: 'deny' }))
        robot.router.get('/allow/*', (req, res) => res.sendFile(req.params[0], { root, dotfiles: 'allow' }))
        robot.router.get('/absolute/*', (req, res) => res.sendFile(path.join(root, req.params[0])))
        robot.router.get('/old/*', (req, res) => res.sendfile(path.join(root, req.params[0])))
        robot.router.get('/load/*', (req, res) => res.download(path.join(root, req.params[0])))
        robot.router.get('/load-root/*', (req, res) => res.download(req.params[0], { root }))
        robot.router.get('/callback/*', (req, res) => res.sendFile(req.params[0], { root }, (error) => res.send('status ' + error.status)))
    }`, { 'pub/.env': 'SECRET', 'pub/.git/config': 'SECRET', 'pub/ok.txt': 'ok', '.hidden/ok.txt': 'ok' });
    for (const kind of ['file', 'deny', 'allow', 'absolute', 'old', 'load', 'load-root']) {
        const { status, text } = await ask(`/${kind}/ok.txt`);
        assert.deepStrictEqual([kind, status, text], [kind, 200, 'ok']);
        const secret = await ask(`/${kind}/.env`);
        const expected = { allow: [200, 'SECRET'], deny: [403], file: [404] }[kind] ?? [404];
        assert.strictEqual(secret.status, expected[0], kind);
        assert.strictEqual(secret.text.includes('SECRET'), kind === 'allow', kind);
        assert.strictEqual((await ask(`/${kind}/a%00b`)).status, 400, kind);
    }
    assert.deepStrictEqual([(await ask('/file/.git/config')).status, (await ask('/load-root/.git/config')).status, (await ask('/allow/.git/config')).text], [404, 404, 'SECRET']);
    assert.strictEqual((await ask('/file/..%2f.hidden%2fok.txt')).status, 404);
    assert.strictEqual((await ask('/callback/.env')).text, 'status 404');
    // A folder of the script's own may have such a name.
    assert.strictEqual((await ask('/absolute/..%2f.hidden%2fok.txt')).text, 'ok');
});

test('the rest of a file is sent only if the file is still the same', async (t) => {
    const ask = await serving(t, "module.exports = (robot) => { robot.router.get('/', (req, res) => res.sendFile('a.txt', { root: __dirname + '/pub' })) }", { 'pub/a.txt': '0123456789' });
    const { etag, 'last-modified': modified } = (await ask('/')).headers;
    const rest = async (known) => {
        const { status, text } = await ask('/', { Range: 'bytes=5-', ...(known && { 'If-Range': known }) });
        return [status, text];
    };
    const [part, whole] = [[206, '56789'], [200, '0123456789']];
    assert.deepStrictEqual(await rest(), part);
    assert.deepStrictEqual(await rest(etag), part);
    assert.deepStrictEqual(await rest(modified), part);
    assert.deepStrictEqual(await rest('"other"'), whole);
    assert.deepStrictEqual(await rest(new Date(0).toUTCString()), whole);
    assert.deepStrictEqual(await rest('nonsense'), whole);
});

test('the name of a file that is downloaded', async (t) => {
    const ask = await serving(t, "module.exports = (robot) => { robot.router.get('/', (req, res) => res.download(__dirname + '/pub/a.txt', req.query.name)) }", { 'pub/a.txt': 'text' });
    const name = async (text) => (await ask(`/?name=${encodeURIComponent(text)}`)).headers['content-disposition'];
    assert.strictEqual(await name('a "b".txt'), 'attachment; filename="a \\"b\\".txt"');
    assert.strictEqual(await name("日本's.txt"), "attachment; filename=\"??'s.txt\"; filename*=UTF-8''%E6%97%A5%E6%9C%AC%27s.txt");
    assert.strictEqual(await name('a\0b\r\n.txt'), "attachment; filename=\"a?b??.txt\"; filename*=UTF-8''a%00b%0D%0A.txt");
});
