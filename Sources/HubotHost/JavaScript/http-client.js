'use strict';

const context = require('./context');
const http = require('http');
const https = require('https');
const path = require('path');
const querystring = require('querystring');
// `url.parse` and not `URL`: addresses of old scripts have spaces and pipes in their paths.
const { parse } = require('url');

// Options with a meaning of their own here; all others go to Node's `request`.
const own = new Set([
    'headers', 'hostname', 'encoding', 'auth', 'port', 'protocol', 'agent', 'httpAgent', 'httpsAgent', 'query', 'host', 'path',
    'pathname', 'slashes', 'hash', 'href', 'search', 'timeout',
]);

/** A request that is put together step by step: `robot.http(url).query(q: 'x').get() (err, res, body) ->`. */
class ScopedClient {
    constructor(url, options) {
        this.options = build(url, options);
    }

    /**
     * Prepares a request. It is sent when the returned function is called, with a callback for the error, the response
     * and the body.
     *
     * @param {string} method
     * @param {string|Buffer|Function} [body]
     * @param {(err: Error|null, request: object) => void} [onRequest] may write the body itself
     * @returns {(callback?: (err: Error|null, response: object, body: string) => void) => ScopedClient}
     */
    request(method, body, onRequest) {
        if (typeof body === 'function') {
            onRequest = body;
            body = null;
        }
        let request;
        let failure;
        try {
            request = this.makeRequest(method, body, onRequest);
        } catch (error) {
            failure = error;
        }
        onRequest?.(failure ?? null, request);
        return (callback) => {
            if (failure) {
                // The caller's function must not run before this one has returned.
                process.nextTick(() => callback?.(failure, null, null));
                return this;
            }
            if (callback) {
                this.collect(request, callback);
            }
            request.end();
            return this;
        };
    }

    makeRequest(method, body, onRequest) {
        const { options } = this;
        const secure = options.protocol === 'https:' || options.protocol === 'https';
        const sending = body != null && body.length > 0;
        const headers = { ...options.headers };
        headers.Host ??= options.hostname + (options.port ? `:${options.port}` : '');
        if (onRequest === undefined) {
            headers['Content-Length'] = sending ? Buffer.byteLength(body, options.encoding) : 0;
        }
        if (options.auth) {
            headers.Authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
        }
        const others = Object.fromEntries(Object.entries(options).filter(([name]) => !own.has(name)));
        const request = (secure ? https : http).request({
            port: options.port || (secure ? 443 : 80),
            host: options.hostname,
            method,
            path: this.fullPath(),
            headers,
            agent: (secure ? options.httpsAgent : options.httpAgent) ?? options.agent,
            ...others,
        });
        // Without any handler, an error would be uncaught.
        request.on('error', (error) => onRequest?.(error, request));
        if (options.timeout) {
            request.setTimeout(options.timeout, () => request.destroy(timeoutError(options.timeout)));
        }
        if (sending) {
            request.write(body, options.encoding);
        }
        return request;
    }

    collect(request, callback) {
        // A listener that waits for an answer isn't over.
        const release = context.currentRun()?.hold?.();
        let called = false;
        const finish = (...values) => {
            if (!called) {
                called = true;
                try {
                    callback(...values);
                } finally {
                    release?.();
                }
            }
        };
        request.on('response', (response) => {
            let body = '';
            response.setEncoding(this.options.encoding);
            response.on('data', (part) => { body += part; });
            response.on('end', () => finish(null, response, body));
            response.on('error', (error) => finish(error, null, null));
        });
        request.on('error', (error) => finish(error, null, null));
    }

    /** The path with the query. */
    fullPath(suffix) {
        const query = querystring.stringify(this.options.query);
        return this.join(suffix) + (query ? `?${query}` : '');
    }

    /** A client for another path, which inherits everything else. */
    scope(url, options, callback) {
        const { protocol, hostname, pathname, ...override } = build(url, options);
        const scoped = new ScopedClient({ ...this.options, headers: { ...this.options.headers }, query: { ...this.options.query } });
        scoped.protocol(protocol).host(hostname).path(pathname);
        if (override.port) {
            scoped.port(override.port);
        }
        const call = [url, options, callback].find((value) => typeof value === 'function');
        call?.(scoped);
        return scoped;
    }

    join(suffix) {
        const base = this.options.pathname || '/';
        if (!suffix) {
            return base;
        }
        return suffix.startsWith('/') ? suffix : path.posix.join(base, suffix);
    }

    path(suffix) {
        this.options.pathname = this.join(suffix);
        return this;
    }

    /** Sets a parameter, removes it (no value), or sets all parameters of an object. */
    query(key, value) {
        this.options.query ??= {};
        if (typeof key !== 'string') {
            Object.assign(this.options.query, key);
        } else if (value) {
            this.options.query[key] = value;
        } else {
            delete this.options.query[key];
        }
        return this;
    }

    host(host) {
        this.options.hostname = host || this.options.hostname;
        return this;
    }

    port(port) {
        this.options.port = port || this.options.port;
        return this;
    }

    protocol(protocol) {
        this.options.protocol = protocol || this.options.protocol;
        return this;
    }

    encoding(encoding = 'utf-8') {
        this.options.encoding = encoding;
        return this;
    }

    timeout(milliseconds) {
        this.options.timeout = milliseconds;
        return this;
    }

    /** Basic authentication: `auth(user, password)` or `auth('user:password')`; without a user there is none. */
    auth(user, password) {
        if (!user) {
            this.options.auth = null;
        } else {
            this.options.auth = !password && user.includes(':') ? user : `${user}:${password}`;
        }
        return this;
    }

    header(name, value) {
        this.options.headers[name] = value;
        return this;
    }

    headers(headers) {
        Object.assign(this.options.headers, headers);
        return this;
    }
}
for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD']) {
    ScopedClient.prototype[method.toLowerCase()] = function request(body, onRequest) {
        return this.request(method, body, onRequest);
    };
}
ScopedClient.prototype.del = ScopedClient.prototype.delete;

/** Merges URLs and objects; functions are ignored. */
function build(...parts) {
    const options = {};
    for (const part of parts) {
        if (typeof part === 'string') {
            const { protocol, auth, hostname, port, pathname, query } = parse(part, true);
            Object.assign(options, { protocol, auth, hostname, port, pathname, query: { ...query } });
        } else if (part && typeof part === 'object') {
            Object.assign(options, part);
        }
    }
    options.headers = { ...options.headers };
    options.encoding ??= 'utf-8';
    return options;
}

function timeoutError(milliseconds) {
    const error = new Error(`no answer within ${milliseconds} ms`);
    error.code = 'ETIMEDOUT';
    return error;
}

/**
 * @param {string} url
 * @param {object} [options]
 * @returns {ScopedClient}
 */
exports.create = (url, options) => new ScopedClient(url, options);
exports.ScopedClient = ScopedClient;
