'use strict';

const { createServer, request: makeRequest } = require('http');
const { Duplex } = require('stream');
const limits = require('./limits');
const { Request } = require('./web-request');
const { Response } = require('./web-response');

// Header fields that belong to the connection with the client.
const hopByHop = new Set([
    'connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect',
]);

/**
 * Answers requests that the robot's web server has got. Node's own HTTP server handles them, without a network: both ends of
 * each connection are in this process, so routes get what they get in Hubot.
 */
class WebServer {
    /**
     * @param {object} host
     * @param {(request: object, response: object) => void} app
     */
    constructor(host, app) {
        this.host = host;
        this.open = new Map();
        this.server = createServer({
            IncomingMessage: Request, ServerResponse: Response, keepAlive: false, requireHostHeader: false, maxHeaderSize: limits.webHeaders,
        }, app);
        Object.assign(this.server, { timeout: 0, requestTimeout: 0, headersTimeout: 0 });
        this.server.on('clientError', refuse);
    }

    /** A request of the robot, with the first part of its body. */
    take({ id, method, url, headers = [], client = null, secure = false, disabled = [], body, last = true }) {
        if (this.open.size >= limits.webRequests) {
            this.answer(id, 503, 'Too many requests are being answered: try again later.');
            return;
        }
        const [inner, outer] = pair();
        Object.assign(inner, { remoteAddress: client ?? undefined, encrypted: secure, disabledScripts: new Set(disabled), setKeepAlive() {}, setNoDelay() {} });
        inner.setTimeout = () => inner;
        const bytes = body ? Buffer.from(body, 'base64') : Buffer.alloc(0);
        const fields = headers.filter(([name]) => !hopByHop.has(name.toLowerCase()) && name.toLowerCase() !== 'content-length');
        const length = headers.find(([name]) => name.toLowerCase() === 'content-length');
        if (last && (bytes.length > 0 || length)) {
            fields.push(['Content-Length', String(bytes.length)]);
        } else if (!last) {
            fields.push(length ? ['Content-Length', length[1]] : ['Transfer-Encoding', 'chunked']);
        }
        fields.push(['Connection', 'close']);
        let request;
        try {
            request = makeRequest({
                method, path: url, headers: fields, createConnection: () => outer, insecureHTTPParser: false, maxHeaderSize: limits.webHeaders,
            });
        } catch (error) {
            // The robot's server has accepted what Node doesn't.
            this.host.log('warning', `can't pass a web request to scripts: ${error.message}`);
            this.answer(id, 400, 'Bad Request');
            return;
        }
        const exchange = { id, request, socket: inner, sent: 0, size: bytes.length, answered: false };
        this.open.set(id, exchange);
        request.on('response', (response) => this.pass(exchange, response));
        request.on('error', () => this.fail(exchange, 'the script has closed the connection without an answer'));
        this.server.emit('connection', inner);
        request.write(bytes);
        if (last) {
            request.end();
        }
    }

    /** A further part of a request's body. */
    takeBody({ id, body, last = false }) {
        const exchange = this.open.get(id);
        if (!exchange) {
            return;
        }
        const bytes = Buffer.from(body ?? '', 'base64');
        exchange.size += bytes.length;
        if (exchange.size > limits.webBody) {
            exchange.request.destroy();
            this.fail(exchange, `the request's body has more than ${limits.webBody} bytes`, 413);
            return;
        }
        exchange.request.write(bytes);
        if (last) {
            exchange.request.end();
        }
    }

    /** The client has gone, or the robot doesn't wait any longer. */
    close({ id }) {
        const exchange = this.open.get(id);
        if (exchange) {
            this.open.delete(id);
            exchange.answered = true;
            exchange.socket.destroy();
            exchange.request.destroy();
        }
    }

    /** Passes an answer to the robot, in parts. */
    pass(exchange, response) {
        const { id } = exchange;
        const headers = [];
        for (let index = 0; index < response.rawHeaders.length; index += 2) {
            if (!hopByHop.has(response.rawHeaders[index].toLowerCase())) {
                headers.push([response.rawHeaders[index], response.rawHeaders[index + 1]]);
            }
        }
        const head = { type: 'webResponse', id, status: response.statusCode, headers };
        const write = (bytes, last) => {
            const message = exchange.answered ? { type: 'webBody', id } : head;
            exchange.answered = true;
            this.host.write({ ...message, body: bytes.length > 0 ? bytes.toString('base64') : undefined, last });
        };
        // A short answer is one message.
        let waiting = [];
        let size = 0;
        const flush = (last) => {
            const bytes = Buffer.concat(waiting);
            [waiting, size] = [[], 0];
            for (let start = 0; start === 0 || start < bytes.length; start += limits.webPart) {
                write(bytes.subarray(start, start + limits.webPart), last && start + limits.webPart >= bytes.length);
            }
        };
        response.on('data', (bytes) => {
            exchange.sent += bytes.length;
            if (exchange.sent > limits.webBody) {
                exchange.request.destroy();
                this.fail(exchange, `the answer has more than ${limits.webBody} bytes`);
                return;
            }
            waiting.push(bytes);
            size += bytes.length;
            if (size >= limits.webPart) {
                flush(false);
            }
        });
        response.on('end', () => {
            if (this.open.get(id) === exchange) {
                this.open.delete(id);
                flush(true);
            }
        });
        response.on('error', () => this.fail(exchange, 'the script has closed the connection before the end of its answer'));
    }

    fail(exchange, problem, status = 502) {
        if (this.open.get(exchange.id) !== exchange) {
            return;
        }
        this.open.delete(exchange.id);
        this.host.log('warning', `the web request ${exchange.request.method} ${String(exchange.request.path).slice(0, 200)} failed: ${problem}`);
        if (exchange.answered) {
            this.host.write({ type: 'webBody', id: exchange.id, error: problem, last: true });
        } else {
            this.answer(exchange.id, status, status === 413 ? 'The body is too long.' : 'A script has failed to answer.');
        }
    }

    answer(id, status, text) {
        const body = Buffer.from(`${text}\n`);
        this.host.write({
            type: 'webResponse', id, status, headers: [['Content-Type', 'text/plain; charset=utf-8'], ['Content-Length', String(body.length)]],
            body: body.toString('base64'), last: true,
        });
    }
}

/** Answers a request that Node's server doesn't accept. */
function refuse(error, socket) {
    if (!socket.writable || socket.bytesWritten > 0) {
        socket.destroy();
        return;
    }
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Two streams; what is written to one is read from the other. */
function pair() {
    const sides = [new Side(), new Side()];
    [sides[0].other, sides[1].other] = [sides[1], sides[0]];
    return sides;
}

class Side extends Duplex {
    _read() {
        const { waiting } = this;
        this.waiting = null;
        waiting?.();
    }

    _write(bytes, _encoding, done) {
        if (this.other.push(bytes)) {
            done();
        } else {
            this.other.waiting = done;
        }
    }

    _final(done) {
        this.other.push(null);
        done();
    }

    _destroy(error, done) {
        const { other } = this;
        process.nextTick(() => other.destroyed || other.destroy());
        done(error);
    }
}

module.exports = { WebServer };
