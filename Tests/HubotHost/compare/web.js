'use strict';

// Compares the routes of this host with the real Express 4: the same app answers the same requests. Not part of the tests:
//
//     NODE_PATH=…/node_modules node Tests/HubotHost/compare/web.js [--verbose]
//
// It exits with 1 if an answer differs.

const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

const sources = path.join(__dirname, '../../../Sources/HubotHost/JavaScript');
const ours = require(path.join(sources, 'express'));
const { WebServer } = require(path.join(sources, 'web-server'));
const { makeApp } = require(path.join(sources, 'web-app'));
const real = require('express');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'compare-web-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
fs.mkdirSync(path.join(folder, 'sub'));
for (const [name, text] of Object.entries({ 'a.txt': 'a text', 'index.html': '<p>root', 'sub/index.html': '<p>sub', 'b.json': '{}', '.secret': 'no', 'c d.css': 'p{}', noending: 'x' })) {
    fs.writeFileSync(path.join(folder, name), text);
    fs.utimesSync(path.join(folder, name), 1700000000, 1700000000);
}

// Debian's package of Express has newer paths.
let hasOldPaths = true;
try {
    real().get('/star/*', () => {});
} catch {
    hasOldPaths = false;
}

function build(app, express) {
    const show = (req, res) => res.json({
        method: req.method, url: req.url, original: req.originalUrl, base: req.baseUrl, path: req.path, params: req.params, query: req.query, body: req.body,
        host: req.hostname, type: req.get('content-type'), parsed: req._parsedUrl && req._parsedUrl.pathname, search: req._parsedUrl && req._parsedUrl.search,
    });
    app.use(express.json({ limit: '1kb' }));
    app.use(express.urlencoded({ limit: '1kb', parameterLimit: 10, extended: true }));
    app.use('/text', express.text());
    app.use('/raw', express.raw());
    app.use('/static', express.static(folder));
    app.get('/', (req, res) => res.send('home'));
    app.get('/plain/:id', show);
    app.get('/optional/:id?', show);
    app.get('/number/:id(\\d+)', show);
    app.get('/two/:from-:to.:ending', show);
    if (hasOldPaths) {
        app.get('/star/*', show);
        app.get('/ab?cd', show);
    }
    app.get(/^\/regex\/(\w+)(?:\/(\d+))?$/, show);
    app.get(['/list1', '/list2/:x'], show);
    app.all('/all', show);
    app.put('/put', show);
    app.delete('/delete', show);
    app.post('/echo', show);
    app.post('/text', (req, res) => res.json({ body: req.body }));
    app.post('/raw', (req, res) => res.send(req.body));
    app.post('/stream', (req, res) => { let length = 0; req.on('data', (part) => { length += part.length; }); req.on('end', () => res.end(`${length} bytes`)); });
    app.get('/string', (req, res) => res.send('téxt'));
    app.get('/type', (req, res) => res.type('txt').send('text'));
    app.get('/typejson', (req, res) => { res.type('application/json'); res.send('{}'); });
    app.get('/set', (req, res) => { res.set('Content-Type', 'text/plain'); res.set({ 'X-One': 1, 'X-Two': ['a', 'b'] }); res.send('x'); });
    app.get('/latin', (req, res) => { res.set('Content-Type', 'text/plain; charset=latin1'); res.send('é'); });
    app.get('/buffer', (req, res) => res.send(Buffer.from([1, 2, 255])));
    app.get('/json', (req, res) => res.json([1, { a: null, b: 'é' }]));
    app.get('/jsonnull', (req, res) => res.send(null));
    app.get('/jsonbool', (req, res) => res.send(true));
    app.get('/nothing', (req, res) => res.send());
    app.get('/empty', (req, res) => res.send(''));
    app.get('/status', (req, res) => res.status(201).send('made'));
    app.get('/sendstatus', (req, res) => res.sendStatus(403));
    app.get('/oddstatus', (req, res) => res.sendStatus(299));
    app.get('/oldsend', (req, res) => res.send(202, 'old'));
    app.get('/oldnumber', (req, res) => res.send(404));
    app.get('/oldjson', (req, res) => res.json(203, { a: 1 }));
    app.get('/end', (req, res) => res.end('ended'));
    app.get('/writehead', (req, res) => { res.writeHead(200, { 'Content-Type': 'text/plain', 'X-A': 'b' }); res.write('one '); res.write('two'); res.end(); });
    app.get('/long', (req, res) => { for (let i = 0; i < 200; i += 1) { res.write('x'.repeat(5000)); } res.end('end'); });
    app.get('/redirect', (req, res) => res.redirect('/other?a=b c'));
    app.get('/redirect301', (req, res) => res.redirect(301, 'http://x.example/é%20"'));
    app.get('/back', (req, res) => res.redirect('back'));
    app.get('/location', (req, res) => res.location('/x').status(201).end());
    app.get('/cookie', (req, res) => res.cookie('a', 'b c', { httpOnly: true, path: '/x', sameSite: 'lax' }).cookie('j', { x: 1 }).clearCookie('z').send('c'));
    app.get('/204', (req, res) => res.status(204).send('gone'));
    app.get('/attachment', (req, res) => res.attachment('a.json').send('{}'));
    app.get('/links', (req, res) => res.links({ next: '/2' }).vary('Accept').vary('accept').append('X-L', 'a').append('X-L', 'b').send('l'));
    app.get('/jsonp', (req, res) => res.jsonp({ a: '\u2028' }));
    app.get('/format', (req, res) => res.format({ text: () => res.send('text'), html: () => res.send('<p>'), json: () => res.send({ a: 1 }) }));
    app.get('/accepts', (req, res) => res.json([req.accepts('html', 'json'), req.accepts(['xml']), req.accepts('image/png'), req.is('json'), req.xhr, req.fresh, req.protocol, req.secure]));
    app.post('/is', (req, res) => res.json([req.is('json'), req.is('text/*'), req.is('html', 'urlencoded'), req.is('application/*')]));
    app.get('/file', (req, res) => res.sendFile(path.join(folder, 'a.txt')));
    app.get('/nofile', (req, res) => res.sendFile(path.join(folder, 'nothing.txt')));
    app.get('/fileroot', (req, res) => res.sendFile('b.json', { root: folder, headers: { 'X-F': '1' } }));
    app.get('/download', (req, res) => res.download(path.join(folder, 'a.txt'), 'b.txt'));
    app.get('/next', (req, res, next) => { res.set('X-Next', '1'); next(); }, (req, res, next) => next('route'), (req, res) => res.send('never'));
    app.get('/next', (req, res) => res.send('after'));
    app.get('/throw', () => { throw Object.assign(new Error('my <fault>'), { status: 418 }); });
    app.get('/fail', (req, res, next) => { next(Object.assign(new Error('secret'), { expose: false })); });
    app.get('/handled', (req, res, next) => next(new Error('handled')));
    app.param('user', (req, res, next, id) => { req.user = `user ${id}`; next(); });
    app.get('/user/:user', (req, res) => res.send(req.user));
    app.get('/param/:a', (req, res) => res.json([req.param('a'), req.param('b'), req.param('none', 'default')]));
    app.route('/route').get(show).post((req, res) => res.send('posted'));
    const router = express.Router();
    router.use((req, res, next) => { res.set('X-Router', req.baseUrl); next(); });
    router.get('/', show);
    router.get('/inner/:y', show);
    app.use('/mounted/:m', router);
    app.use('/prefix', (req, res, next) => { if (req.query.stop) { res.send(`stopped at ${req.url} ${req.baseUrl} ${req.originalUrl}`); } else { next(); } });
    app.get('/prefix/x', show);
    const inner = express();
    inner.get('/deep', show);
    app.use('/app', inner);
    app.set('answer', 42);
    app.get('/settings', (req, res) => res.json([app.get('answer'), app.enabled('answer'), req.app.get('answer')]));
    app.use((error, req, res, next) => { if (error.message === 'handled') { res.status(500).send('handled it'); } else { next(error); } });
    return app;
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const requests = [
    ...['/', '/plain/a%20b', '/PLAIN/x/', '/plain/', '/plain/%zz', '/plain/a/b', '/optional', '/optional/x', '/number/12', '/number/x', '/two/a-b.c', '/star/a/b%2Fc', '/star/',
        '/acd', '/abcd', '/regex/word/5', '/regex/word', '/regex/a-b', '/list1', '/list2/z', '/all', '/put', '/string', '/type', '/typejson', '/set', '/latin', '/buffer', '/json',
        '/jsonnull', '/jsonbool', '/nothing', '/empty', '/status', '/sendstatus', '/oddstatus', '/oldsend', '/oldnumber', '/oldjson', '/end', '/writehead', '/long', '/redirect',
        '/redirect301', '/back', '/location', '/cookie', '/204', '/attachment', '/links', '/jsonp', '/jsonp?callback=a.b', '/jsonp?callback[]=x', '/format', '/accepts', '/file', '/nofile', '/fileroot',
        '/download', '/next', '/throw', '/fail', '/handled', '/user/7', '/param/1?b=2', '/route', '/mounted/1', '/mounted/1/', '/mounted/1/inner/2?z=1', '/mounted/1/none', '/prefix?stop=1',
        '/prefix/a/b?stop=1', '/prefix/x', '/prefixed?stop=1', '/app/deep', '/app/none', '/settings', '/nothing/here', '/<script>', '/static', '/static/', '/static/a.txt', '/static/sub', '/static/sub/?x',
        '/static/c%20d.css', '/static/.secret', '/static/../web.js', '/static/%2e%2e/web.js', '/static/none.txt', '/static/b.json',
        '/plain/q?a=1&a=2&b[]=x&b[]=y&c[d]=e&c[f][g]=h&i&j=&k=%C3%A9+z&l[0]=p&l[1]=q&m[x]=1&m[]=2&__proto__[x]=1&n=1&n[x]=2', '/plain/q?x=a=b&y=[z]&[w]=1&v[]=1&v=2&u[a][b][c][d][e][f][g]=1', '/plain/q?t[25]=a&s[3]=b&s[1]=c',
    ].map((url) => ['GET', url]),
    ['HEAD', '/json'], ['HEAD', '/static/a.txt'], ['HEAD', '/writehead'], ['DELETE', '/delete'], ['PUT', '/put'], ['POST', '/all'], ['POST', '/route'], ['DELETE', '/route'], ['PATCH', '/all'],
    ['POST', '/static/a.txt'],
    ['POST', '/echo', json, '{"a":[1,{"b":2}]}'], ['POST', '/echo', json, '"text"'], ['POST', '/echo', json, '{bad'], ['POST', '/echo', json, ''], ['POST', '/echo', json, `{"a":"${'x'.repeat(2000)}"}`],
    ['POST', '/echo', { 'content-type': 'application/json; charset=utf-8' }, '{"é":"ü"}'], ['POST', '/echo', { 'content-type': 'application/vnd.api+json' }, '{}'],
    ['POST', '/echo', form, 'payload=%7B%22a%22%3A1%7D&x=1+2&y[z]=3&y[w][]=4'], ['POST', '/echo', form, Array.from({ length: 12 }, (_, i) => `a${i}=1`).join('&')], ['POST', '/echo', { 'content-type': 'text/plain' }, 'plain'], ['POST', '/echo', {}, 'untyped'],
    ['POST', '/echo', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
    ['POST', '/text', { 'content-type': 'text/plain' }, 'a text é'], ['POST', '/text', json, '[1]'], ['POST', '/raw', { 'content-type': 'application/octet-stream' }, 'bytes'], ['POST', '/stream', { 'content-type': 'image/png' }, 'x'.repeat(300000)],
    ['POST', '/is', json, '{}'], ['POST', '/is', form, 'a=1'], ['POST', '/is', { 'content-type': 'text/html; charset=x' }, 'a'],
    ['GET', '/redirect', { accept: 'text/html' }], ['GET', '/redirect', { accept: 'application/json' }], ['GET', '/back', { referer: 'http://r.example/x' }], ['GET', '/format', { accept: 'application/json' }], ['GET', '/format', { accept: 'text/*;q=0.5, application/json;q=0.4' }],
    ['GET', '/format', { accept: 'image/png' }], ['GET', '/format', { accept: 'text/html' }], ['GET', '/accepts', { accept: 'application/json, text/html;q=0.9', 'x-requested-with': 'XMLHttpRequest' }], ['GET', '/accepts', { accept: 'image/*' }],
    ['GET', '/json', { 'if-none-match': 'W/"1b-x"' }], ['GET', '/static/a.txt', { 'if-modified-since': new Date(1700000000000).toUTCString() }], ['GET', '/static/a.txt', { 'if-modified-since': new Date(0).toUTCString() }],
    ['GET', '/static/a.txt', { range: 'bytes=2-3' }], ['GET', '/static/a.txt', { range: 'bytes=-2' }], ['GET', '/static/a.txt', { range: 'bytes=90-' }], ['GET', '/static/a.txt', { range: 'bytes=0-1,3-4' }],
];

function fromReal(port, [method, url, headers = {}, body]) {
    return new Promise((resolve, reject) => {
        const request = http.request({ port, method, path: url, headers: { ...headers, host: 'bot.example:80', ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) } }, (response) => {
            const parts = [];
            response.on('data', (part) => parts.push(part));
            response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString('latin1') }));
        });
        request.on('error', reject);
        request.end(body);
    });
}

let next = 0;
const answers = new Map();
const server = new WebServer({
    log: (...values) => console.error(...values),
    write(message) {
        const answer = answers.get(message.id);
        Object.assign(answer, message.type === 'webResponse' ? { status: message.status, headers: message.headers } : {});
        answer.parts.push(Buffer.from(message.body ?? '', 'base64'));
        if (message.last) {
            answer.resolve();
        }
    },
}, build(makeApp(() => {}), ours));

async function fromOurs([method, url, headers = {}, body]) {
    next += 1;
    const fields = [...Object.entries(headers), ['host', 'bot.example:80']];
    if (body !== undefined) {
        fields.push(['content-length', String(Buffer.byteLength(body))]);
    }
    const answer = { parts: [] };
    answers.set(next, answer);
    await new Promise((resolve) => {
        answer.resolve = resolve;
        server.take({ id: next, method, url, headers: fields, client: '127.0.0.1', body: body && Buffer.from(body).toString('base64'), last: true });
    });
    const named = {};
    for (const [name, value] of answer.headers) {
        const lower = name.toLowerCase();
        named[lower] = lower === 'set-cookie' ? [...(named[lower] ?? []), value] : (lower in named ? `${named[lower]}, ${value}` : value);
    }
    return { status: answer.status, headers: named, body: Buffer.concat(answer.parts).toString('latin1') };
}

function plain({ status, headers, body }) {
    const { date: _date, connection: _connection, 'keep-alive': _keep, 'transfer-encoding': _transfer, 'content-length': length, ...others } = headers;
    // A stack in an error page differs, and how long it is; the real Express shows it only in development.
    const error = /<title>Error<\/title>/.test(body);
    // Versions of Express differ in whether a media type gets a charset.
    if (others['content-type']) {
        others['content-type'] = others['content-type'].replace(/; charset=utf-8$/i, '');
    }
    const text = error ? (/<pre>([^]*?)(<br>|<\/pre>)/.exec(body) ?? [])[1] : body;
    return JSON.stringify({ status, length: error ? undefined : length, body: text, headers: Object.entries(others).sort() });
}

async function main() {
    process.env.NODE_ENV = 'production';
    console.error = () => {};
    const listening = build(real(), real).listen(0, '127.0.0.1');
    await new Promise((resolve) => { listening.on('listening', resolve); });
    let equal = 0;
    for (const request of requests) {
        const one = plain(await fromReal(listening.address().port, request));
        const other = plain(await fromOurs(request));
        if (one === other) {
            equal += 1;
        } else {
            console.log(`${JSON.stringify(request).slice(0, 200)}\n  Express ${one.slice(0, 700)}\n  here    ${other.slice(0, 700)}`);
        }
    }
    console.log(`${equal} of ${requests.length} answers are equal`);
    listening.close();
    process.exitCode = equal === requests.length ? 0 : 1;
}

main();
