'use strict';

// What `require('express')` gives to scripts that haven't installed it: the parts of Express that they use.

const { timingSafeEqual } = require('crypto');
const bodies = require('./web-body');
const files = require('./web-files');
const { makeApp, makeRouter } = require('./web-app');
const query = require('./web-query');
const { Request } = require('./web-request');
const { Response } = require('./web-response');

/** Lets only requests pass that have the name and the password, or that a function accepts. */
function basicAuth(user, password) {
    const isAllowed = typeof user === 'function' ? user : (name, given) => equal(`${name}:${given}`, `${user}:${password}`);
    return function authenticate(request, response, next) {
        const found = /^basic\s+(\S+)$/i.exec(request.headers.authorization ?? '');
        const text = found ? Buffer.from(found[1], 'base64').toString('utf8') : '';
        const colon = text.indexOf(':');
        if (colon >= 0 && isAllowed(text.slice(0, colon), text.slice(colon + 1))) {
            request.user = request.remoteUser = text.slice(0, colon);
            next();
            return;
        }
        response.statusCode = 401;
        response.setHeader('WWW-Authenticate', 'Basic realm="Authorization Required"');
        response.end('Unauthorized');
    };
}

function equal(one, other) {
    const [left, right] = [Buffer.from(one), Buffer.from(other)];
    return left.length === right.length && timingSafeEqual(left, right);
}

module.exports = Object.assign(() => makeApp(), bodies, {
    application: {},
    request: Request.prototype,
    response: Response.prototype,
    Router: makeRouter,
    static: files.folder,
    basicAuth,
    bodyParser: Object.assign(() => [bodies.json(), bodies.urlencoded({ extended: true })], bodies),
    query: () => (request, response, next) => {
        request.query ??= query.parse(request._parsedUrl?.query ?? '');
        next();
    },
});
