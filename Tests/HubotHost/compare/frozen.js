'use strict';

// Loaded before everything else, in the real Hubot and in Heybot's host: time stands still, chance repeats itself for each message,
// and each web request gets the same empty answer.

const { EventEmitter } = require('events');
const http = require('http');
const https = require('https');
const { Readable } = require('stream');

const RealDate = Date;
const now = RealDate.UTC(2026, 0, 15, 12, 0, 0);
globalThis.Date = class Date extends RealDate {
    constructor(...values) {
        super(...(values.length === 0 ? [now] : values));
    }

    static now() {
        return now;
    }
};

let seed = 1;
let lastCall = 0;
Math.random = () => {
    // Messages are further apart than this, and what a script does for one is over sooner.
    if (performance.now() - lastCall > 100) {
        seed = 1;
    }
    lastCall = performance.now();
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
};

class FrozenRequest extends EventEmitter {
    constructor(answer) {
        super();
        this.answer = answer;
        this.headers = {};
    }

    setHeader(name, value) { this.headers[name.toLowerCase()] = value; }

    getHeader(name) { return this.headers[name.toLowerCase()]; }

    removeHeader(name) { delete this.headers[name.toLowerCase()]; }

    setTimeout() { return this; }

    setNoDelay() {}

    setSocketKeepAlive() {}

    flushHeaders() {}

    write() { return true; }

    abort() {}

    destroy() { return this; }

    end(...values) {
        const done = values.find((value) => typeof value === 'function');
        done?.();
        setImmediate(() => {
            const response = Readable.from([Buffer.from('{}')]);
            Object.assign(response, { statusCode: 200, statusMessage: 'OK', headers: { 'content-type': 'application/json' }, rawHeaders: [], httpVersion: '1.1' });
            response.setEncoding = Readable.prototype.setEncoding;
            this.emit('response', response);
            this.answer?.(response);
        });
        return this;
    }
}

for (const module of [http, https]) {
    const request = module.request;
    module.request = (...values) => {
        const options = values.find((value) => value !== null && typeof value === 'object' && !(value instanceof URL));
        // Heybot's host answers web requests through a connection of its own.
        if (options?.createConnection) {
            return request(...values);
        }
        return new FrozenRequest(values.find((value) => typeof value === 'function'));
    };
    module.get = (...values) => module.request(...values).end();
}
