'use strict';

const zlib = require('zlib');
const query = require('./web-query');

/**
 * Express' `json`, `urlencoded`, `text` and `raw`: each makes a function that parses bodies of its type into `request.body`.
 * A body is read by the first of them that accepts its type.
 */
module.exports = {
    json(options = {}) {
        return parser('application/json', options, (bytes, charset) => {
            const text = bytes.toString(charset);
            if (text.trim() === '') {
                return {};
            }
            if (options.strict !== false && !/^[\s\u0020\u0009\u000a\u000d]*[[{]/.test(text)) {
                const character = text.trim()[0];
                throw new SyntaxError(`Unexpected token ${character} in JSON at position ${text.indexOf(character)}`);
            }
            return JSON.parse(text, options.reviver);
        });
    },
    urlencoded(options = {}) {
        return parser('application/x-www-form-urlencoded', options, (bytes, charset) => {
            const text = bytes.toString(charset);
            const most = Number(options.parameterLimit ?? 1000);
            if (text !== '' && text.split('&').length > most) {
                throw Object.assign(new Error('too many parameters'), { status: 413, type: 'parameters.too.many' });
            }
            return text === '' ? {} : (options.extended === false ? query.parseFlat : query.parse)(text, most);
        });
    },
    text(options = {}) {
        return parser('text/plain', options, (bytes, charset) => bytes.toString(charset === 'utf8' ? (options.defaultCharset ?? charset) : charset));
    },
    raw(options = {}) {
        return parser('application/octet-stream', options, (bytes) => bytes);
    },
};

function parser(standardType, options, parse) {
    const limit = bytesOf(options.limit ?? '100kb');
    const type = options.type ?? standardType;
    return async function parseBody(request, response, next) {
        const hasBody = request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
        const fits = typeof type === 'function' ? type(request) : Boolean(request.is([].concat(type)));
        if (request._body || !hasBody || !fits) {
            request.body ??= {};
            next();
            return;
        }
        request._body = true;
        let bytes;
        try {
            bytes = await read(request, limit, options.inflate !== false);
            options.verify?.(request, response, bytes, charsetOf(request));
            request.body = parse(bytes, charsetOf(request));
        } catch (error) {
            error.status ??= error instanceof SyntaxError || options.verify ? (error instanceof SyntaxError ? 400 : 403) : 400;
            error.statusCode = error.status;
            next(error);
            return;
        }
        next();
    };
}

/** Reads a body up to a limit, unpacked. */
function read(request, limit, inflates) {
    return new Promise((resolve, reject) => {
        const encoding = String(request.headers['content-encoding'] ?? 'identity').toLowerCase();
        const unpack = { gzip: zlib.createGunzip, deflate: zlib.createInflate, br: zlib.createBrotliDecompress }[encoding];
        if (encoding !== 'identity' && (!unpack || !inflates)) {
            reject(Object.assign(new Error(`unsupported content encoding "${encoding}"`), { status: 415 }));
            return;
        }
        const source = unpack ? request.pipe(unpack()) : request;
        const parts = [];
        let length = 0;
        const fail = (error) => {
            source.removeAllListeners('data');
            request.unpipe?.(source);
            request.resume();
            reject(error);
        };
        if (!unpack && Number(request.headers['content-length']) > limit) {
            fail(tooLarge());
            return;
        }
        source.on('data', (part) => {
            length += part.length;
            if (length > limit) {
                fail(tooLarge());
            } else {
                parts.push(part);
            }
        });
        source.on('end', () => resolve(Buffer.concat(parts)));
        source.on('error', (error) => fail(Object.assign(error, { status: 400 })));
        request.on('aborted', () => fail(Object.assign(new Error('request aborted'), { status: 400 })));
    });
}

function tooLarge() {
    return Object.assign(new Error('request entity too large'), { status: 413, type: 'entity.too.large' });
}

function charsetOf(request) {
    const found = /;\s*charset\s*=\s*"?([\w-]+)/i.exec(request.headers['content-type'] ?? '');
    const charset = found ? found[1].toLowerCase().replace(/^iso-8859-1$|^us-ascii$/, 'latin1') : 'utf8';
    if (!Buffer.isEncoding(charset)) {
        throw Object.assign(new Error(`unsupported charset "${found[1].toUpperCase()}"`), { status: 415 });
    }
    return charset;
}

/** A number of bytes such as `100kb`. */
function bytesOf(limit) {
    const found = /^\s*([\d.]+)\s*(b|kb|mb|gb)?\s*$/i.exec(String(limit));
    if (!found) {
        throw new TypeError(`the limit ${limit} isn't a number of bytes, such as 100kb`);
    }
    return Math.floor(Number(found[1]) * 1024 ** ['b', 'kb', 'mb', 'gb'].indexOf((found[2] ?? 'b').toLowerCase()));
}
