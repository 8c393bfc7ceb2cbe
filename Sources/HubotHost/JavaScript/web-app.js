'use strict';

const { METHODS, STATUS_CODES, createServer } = require('http');
const { EventEmitter } = require('events');
const { parse: parseURL } = require('url');
const context = require('./context');
const matcherOf = require('./web-path');
const { encodeURL, escapeHTML, sendPage } = require('./web-html');
const query = require('./web-query');
const { Request } = require('./web-request');
const { Response } = require('./web-response');

const verbs = METHODS.map((method) => method.toLowerCase());

/** The functions of routers and apps. */
const router = {
    /** Adds functions that are called for each request below a path. */
    use(path, ...handlers) {
        const isPath = typeof path === 'string' || path instanceof RegExp || (Array.isArray(path) && typeof path.flat(9)[0] !== 'function');
        for (const handler of (isPath ? handlers : [path, ...handlers]).flat(9)) {
            const isApp = typeof handler?.handle === 'function' && handler.stack !== undefined;
            this.add(undefined, isPath ? path : '/', [isApp ? (request, response, next) => handler.handle(request, response, next) : handler], false);
            if (isApp && handler.settings) {
                handler.mountpath = isPath ? path : '/';
                handler.parent = this;
                handler.emit?.('mount', this);
            }
        }
        return this;
    },

    all(path, ...handlers) {
        return this.add(undefined, path, handlers.flat(9), true);
    },

    /** The routes of one path: `router.route('/x').get(…).post(…)`. */
    route(path) {
        const route = { path };
        for (const verb of [...verbs, 'all', 'del']) {
            route[verb] = (...handlers) => {
                this[verb](path, ...handlers);
                return route;
            };
        }
        return route;
    },

    /** Calls a function when a route has a parameter with this name. */
    param(name, handler) {
        for (const one of [].concat(name)) {
            this.paramHandlers.set(one, [...(this.paramHandlers.get(one) ?? []), handler]);
        }
        return this;
    },

    add(method, path, handlers, end) {
        for (const handler of handlers) {
            if (typeof handler !== 'function') {
                throw new TypeError(`a route's handler must be a function, not ${typeof handler}`);
            }
        }
        const options = { end, strict: this.options.strict, caseSensitive: this.options.caseSensitive };
        this.stack.push({ method, path, handlers, end, match: matcherOf(path, options), script: context.caller() });
        return this;
    },

    /** Passes a request through the functions whose paths match, one after another. */
    handle(request, response, done) {
        let index = 0;
        const { baseUrl: base = '', params: outer } = request;
        const walk = (error) => {
            if (error === 'router') {
                restore();
                done();
                return;
            }
            const failure = error === 'route' ? undefined : error;
            let layer;
            let found;
            try {
                do {
                    layer = this.stack[index];
                    index += 1;
                    found = layer && this.matches(layer, request);
                } while (layer && !found);
            } catch (problem) {
                walk(failure ?? problem);
                return;
            }
            if (!layer) {
                restore();
                done(failure);
                return;
            }
            enter(layer, found, failure);
        };
        const restore = () => {
            request.baseUrl = base;
            request.params = outer;
        };
        const enter = (layer, found, failure) => {
            const url = request.url;
            request.params = this.options.mergeParams ? { ...outer, ...found.params } : found.params;
            if (!layer.end) {
                request.baseUrl = base + found.path;
                request.url = url.slice(found.path.length);
                request.url = request.url.startsWith('/') ? request.url : `/${request.url}`;
            } else {
                request.route = { path: layer.path, methods: { [layer.method ?? '_all']: true } };
            }
            const leave = (error) => {
                request.url = url;
                request.baseUrl = base;
                walk(error);
            };
            this.callParams(request, response, found.params, failure, (problem) => {
                context.run({ script: layer.script, web: true }, () => callEach(layer.handlers, request, response, problem, leave));
            });
        };
        walk();
    },

    matches(layer, request) {
        // An admin of the robot has switched the script off.
        if (request.socket?.disabledScripts?.has(layer.script?.id)) {
            return null;
        }
        const isMethod = layer.method === undefined || layer.method === request.method || (layer.method === 'GET' && request.method === 'HEAD');
        return isMethod ? layer.match(pathOf(request.url)) : null;
    },

    callParams(request, response, params, failure, next) {
        const called = (request.calledParams ??= new Set());
        const waiting = Object.entries(params).flatMap(([name, value]) => (
            value === undefined ? [] : (this.paramHandlers.get(name) ?? []).map((handler) => ({ key: `${name}=${value}`, name, value, handler }))
        )).filter(({ key }) => !called.has(key));
        const step = (error) => {
            const one = waiting.shift();
            if (error || !one) {
                next(failure ?? error);
                return;
            }
            called.add(one.key);
            one.handler(request, response, step, one.value, one.name);
        };
        step();
    },
};

/** Calls the functions of one route until one of them doesn't continue. */
function callEach(handlers, request, response, error, leave) {
    let index = 0;
    const step = (failure) => {
        const handler = handlers[index];
        index += 1;
        if (failure === 'route' || failure === 'router' || !handler) {
            leave(failure);
            return;
        }
        // A function with four parameters is for errors, all others for requests without one.
        if ((handler.length === 4) !== Boolean(failure)) {
            step(failure);
            return;
        }
        let called = false;
        const next = (problem) => {
            if (!called) {
                called = true;
                step(problem);
            }
        };
        request.next = next;
        try {
            const returned = failure ? handler(failure, request, response, next) : handler(request, response, next);
            if (typeof returned?.then === 'function') {
                returned.then(undefined, (problem) => next(problem ?? new Error('a route has failed')));
            }
        } catch (problem) {
            next(problem ?? new Error('a route has failed'));
        }
    };
    step(error);
}

for (const verb of verbs) {
    router[verb] = function addRoute(path, ...handlers) {
        return this.add(verb.toUpperCase(), path, handlers.flat(9), true);
    };
}
router.del = router.delete;

/** A router, which is itself a function for `use`. */
function makeRouter(options = {}) {
    function handle(request, response, next) {
        handle.handle(request, response, next);
    }
    return Object.assign(handle, router, { stack: [], options: { ...options }, paramHandlers: new Map() });
}

/**
 * An app as `express()` makes it.
 * @param {(error: any, request: object) => void} [report] is told about errors that no route handles
 */
function makeApp(report = (error) => console.error(error?.stack ?? error)) {
    const app = makeRouter();
    const { get, handle } = app;
    Object.assign(app, EventEmitter.prototype, {
        settings: { env: process.env.NODE_ENV ?? 'development', 'x-powered-by': true, etag: 'weak', 'query parser': 'extended', views: '' },
        locals: {},
        mountpath: '/',
        set(name, value) {
            if (value === undefined) {
                return this.settings[name];
            }
            this.settings[name] = value;
            this.options.strict = Boolean(this.settings['strict routing']);
            this.options.caseSensitive = Boolean(this.settings['case sensitive routing']);
            return this;
        },
        get(name, ...handlers) {
            return handlers.length === 0 ? this.set(name) : get.call(this, name, ...handlers);
        },
        enable(name) { return this.set(name, true); },
        disable(name) { return this.set(name, false); },
        enabled(name) { return Boolean(this.settings[name]); },
        disabled(name) { return !this.settings[name]; },
        engine() { return this; },
        path() { return this.parent ? this.parent.path?.() + this.mountpath : ''; },
        render(_view, ...others) { others.pop()?.(new Error('there is no view engine')); },
        handle(request, response, next) {
            const outer = [request.app, response.app];
            prepare(this, request, response);
            handle.call(this, request, response, (error) => {
                [request.app, response.app] = outer;
                if (next) {
                    next(error);
                } else {
                    finish(error, request, response, report);
                }
            });
        },
        listen(...values) {
            return createServer({ IncomingMessage: Request, ServerResponse: Response }, this).listen(...values);
        },
    });
    EventEmitter.call(app);
    return app;
}

function prepare(app, request, response) {
    request.app = app;
    response.app = app;
    request.res = response;
    response.req = request;
    request.originalUrl ??= request.url;
    request.baseUrl ??= '';
    request.params ??= {};
    response.locals ??= {};
    if (request.query === undefined) {
        const parser = app.settings['query parser'];
        const text = request._parsedUrl.query ?? '';
        request.query = typeof parser === 'function' ? parser(text) : (parser === 'simple' ? query.parseFlat : query.parse)(text);
    }
    if (app.settings['x-powered-by'] && !response.headersSent && !response.hasHeader('X-Powered-By')) {
        response.setHeader('X-Powered-By', 'Express');
    }
}

/** What is sent if no route has answered. */
function finish(error, request, response, report) {
    const status = statusOf(error, response);
    if (error && status >= 500) {
        report(error, request);
    }
    if (response.headersSent) {
        // The answer is incomplete, and the client must notice.
        request.socket?.destroy();
        return;
    }
    const text = error ? STATUS_CODES[status] ?? String(status) : `Cannot ${request.method} ${encodeURL(pathOf(request.originalUrl))}`;
    sendPage(request, response, status, 'Error', escapeHTML(text));
}

function statusOf(error, response) {
    if (!error) {
        return 404;
    }
    const status = error.status ?? error.statusCode ?? response.statusCode;
    return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}

function pathOf(url) {
    const end = url.search(/[?#]/);
    const path = end < 0 ? url : url.slice(0, end);
    return path.startsWith('/') ? path : parseURL(path).pathname ?? '/';
}

module.exports = { makeRouter, makeApp };
