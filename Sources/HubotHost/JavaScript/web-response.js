'use strict';

const { createHash } = require('crypto');
const { ServerResponse, STATUS_CODES } = require('http');
const path = require('path');
const files = require('./web-files');
const { encodeURL, escapeHTML } = require('./web-html');
const { typeOf, withCharset } = require('./web-media-types');

/** What a route gets as the response: Node's, with what Express adds. */
class Response extends ServerResponse {
    status(code) {
        this.statusCode = Number(code);
        return this;
    }

    sendStatus(code) {
        return this.status(code).type('txt').send(STATUS_CODES[code] ?? String(code));
    }

    /** Sets a header, or all headers of an object. */
    set(name, value) {
        if (typeof name === 'object') {
            for (const [key, one] of Object.entries(name)) {
                this.set(key, one);
            }
            return this;
        }
        const isType = name.toLowerCase() === 'content-type' && !Array.isArray(value);
        const text = Array.isArray(value) ? value.map(String) : String(value);
        this.setHeader(name, isType ? withCharset(text) : text);
        return this;
    }

    header(name, value) {
        return this.set(name, value);
    }

    get(name) {
        return this.getHeader(name);
    }

    append(name, value) {
        const known = this.getHeader(name);
        return this.set(name, known === undefined ? value : [].concat(known, value));
    }

    type(name) {
        return this.set('Content-Type', withCharset(typeOf(name)));
    }

    contentType(name) {
        return this.type(name);
    }

    vary(name) {
        const known = this.getHeader('Vary');
        const names = [].concat(name).filter((one) => !String(known ?? '').toLowerCase().split(/\s*,\s*/).includes(one.toLowerCase()));
        return names.length === 0 ? this : this.set('Vary', [known, ...names].filter(Boolean).join(', '));
    }

    /** Sends a text as HTML, bytes, or anything else as JSON. The old forms with a status are understood too. */
    send(...values) {
        let [body] = values;
        if (values.length === 2) {
            const first = typeof values[0] === 'number';
            this.statusCode = first ? values[0] : values[1];
            body = first ? values[1] : values[0];
        } else if (typeof body === 'number' && values.length === 1) {
            return this.sendStatus(body);
        }
        if (body !== null && body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body)) {
            return ArrayBuffer.isView(body) ? this.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength)) : this.json(body);
        }
        let bytes = Buffer.alloc(0);
        if (typeof body === 'string') {
            bytes = Buffer.from(body);
            const type = this.getHeader('Content-Type');
            this.setHeader('Content-Type', type === undefined ? 'text/html; charset=utf-8' : inUTF8(String(type)));
        } else if (body) {
            bytes = body;
            if (this.getHeader('Content-Type') === undefined) {
                this.setHeader('Content-Type', 'application/octet-stream');
            }
        }
        if (body !== undefined) {
            this.setHeader('Content-Length', bytes.length);
            if (this.getHeader('ETag') === undefined && this.app?.settings.etag) {
                this.setHeader('ETag', tagOf(bytes));
            }
        }
        if (this.req.fresh) {
            this.statusCode = 304;
        }
        if (this.statusCode === 204 || this.statusCode === 304) {
            ['Content-Type', 'Content-Length', 'Transfer-Encoding'].forEach((name) => this.removeHeader(name));
            bytes = Buffer.alloc(0);
        } else if (this.statusCode === 205) {
            this.setHeader('Content-Length', 0);
            bytes = Buffer.alloc(0);
        }
        if (this.req.method === 'HEAD') {
            this.end();
        } else {
            this.end(bytes);
        }
        return this;
    }

    json(...values) {
        let [value] = values;
        if (values.length === 2) {
            const first = typeof values[0] === 'number';
            this.statusCode = first ? values[0] : values[1];
            value = first ? values[1] : values[0];
        }
        const settings = this.app?.settings ?? {};
        if (this.getHeader('Content-Type') === undefined) {
            this.set('Content-Type', 'application/json');
        }
        const text = JSON.stringify(value, settings['json replacer'], settings['json spaces']);
        return this.send(text);
    }

    jsonp(value) {
        const settings = this.app?.settings ?? {};
        const given = this.req.query?.[settings['jsonp callback name'] ?? 'callback'];
        const name = Array.isArray(given) ? given[0] : given;
        this.set('X-Content-Type-Options', 'nosniff');
        if (typeof name !== 'string' || name === '') {
            return this.json(value);
        }
        this.set('Content-Type', 'text/javascript');
        const call = name.replace(/[^[\]\w$.]/g, '');
        const text = (JSON.stringify(value) ?? '').replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029');
        return this.send(`/**/ typeof ${call} === 'function' && ${call}(${text});`);
    }

    location(url) {
        const target = url === 'back' ? this.req.get('Referrer') ?? '/' : String(url);
        return this.set('Location', encodeURL(target));
    }

    /** `redirect(url)`, `redirect(status, url)` or, as in old versions, `redirect(url, status)`. */
    redirect(...values) {
        const status = values.find((value) => typeof value === 'number') ?? 302;
        this.location(values.find((value) => typeof value !== 'number') ?? '/');
        this.statusCode = status;
        const address = this.getHeader('Location');
        const text = `${STATUS_CODES[status]}. Redirecting to `;
        this.vary('Accept');
        const kind = this.req.accepts('text', 'html');
        let body = '';
        if (kind === 'html') {
            this.type('html');
            body = `<p>${text}<a href="${escapeHTML(address)}">${escapeHTML(address)}</a></p>`;
        } else if (kind === 'text') {
            this.type('txt');
            body = text + address;
        }
        this.set('Content-Length', Buffer.byteLength(body));
        this.end(this.req.method === 'HEAD' ? undefined : body);
    }

    /** Calls the function for the type that the client prefers. */
    format(choices) {
        const names = Object.keys(choices).filter((name) => name !== 'default');
        const chosen = names.length > 0 ? this.req.accepts(names) : false;
        this.vary('Accept');
        if (chosen) {
            this.type(chosen);
            choices[chosen](this.req, this);
        } else if (choices.default) {
            choices.default(this.req, this);
        } else {
            this.req.next(Object.assign(new Error('Not Acceptable'), { status: 406 }));
        }
        return this;
    }

    cookie(name, value, options = {}) {
        const text = typeof value === 'object' ? `j:${JSON.stringify(value)}` : String(value);
        const parts = [`${name}=${encodeURIComponent(text)}`];
        if (options.maxAge !== undefined && options.maxAge !== null) {
            parts.push(`Max-Age=${Math.floor(options.maxAge / 1000)}`);
        }
        if (options.domain) {
            parts.push(`Domain=${options.domain}`);
        }
        parts.push(`Path=${options.path ?? '/'}`);
        const expires = options.expires ?? (options.maxAge === undefined || options.maxAge === null ? undefined : new Date(Date.now() + options.maxAge));
        if (expires) {
            parts.push(`Expires=${expires.toUTCString()}`);
        }
        parts.push(...[['HttpOnly', options.httpOnly], ['Secure', options.secure]].filter(([, wanted]) => wanted).map(([word]) => word));
        if (options.sameSite) {
            const site = options.sameSite === true ? 'Strict' : String(options.sameSite);
            parts.push(`SameSite=${site[0].toUpperCase()}${site.slice(1).toLowerCase()}`);
        }
        return this.append('Set-Cookie', parts.join('; '));
    }

    clearCookie(name, options) {
        return this.cookie(name, '', { path: '/', ...options, expires: new Date(1) });
    }

    attachment(name) {
        if (name) {
            this.type(path.extname(name).slice(1) || 'bin');
        }
        return this.set('Content-Disposition', name ? dispositionOf(path.basename(name)) : 'attachment');
    }

    links(links) {
        const known = this.getHeader('Link');
        const made = Object.entries(links).map(([name, url]) => `<${url}>; rel="${name}"`).join(', ');
        return this.set('Link', known ? `${known}, ${made}` : made);
    }

    /**
     * Sends a file: `sendFile(path, {root}, callback)`. A file whose name begins with a dot isn't sent, and with `root`,
     * neither are the files in such a folder, unless `dotfiles` is `allow`.
     */
    sendFile(file, options, callback) {
        const done = typeof options === 'function' ? options : callback;
        const given = typeof options === 'object' && options !== null ? options : {};
        if (!given.root && !path.isAbsolute(file)) {
            throw new TypeError('path must be absolute or specify root to res.sendFile');
        }
        for (const [name, value] of Object.entries(given.headers ?? {})) {
            this.set(name, value);
        }
        const relative = path.join('/', given.root ? file : path.basename(file));
        const full = given.root ? path.join(given.root, relative) : file;
        const finish = (error) => {
            if (done) {
                done(error);
            } else if (error) {
                this.req.next?.(error);
                if (!this.headersSent && !this.req.next) {
                    this.sendStatus(error.status ?? 500);
                }
            }
        };
        if (given.dotfiles !== 'allow' && files.isHidden(relative)) {
            const status = given.dotfiles === 'deny' ? 403 : 404;
            finish(Object.assign(new Error(STATUS_CODES[status]), { status }));
            return;
        }
        files.send(this.req, this, full, given, finish);
    }

    sendfile(file, options, callback) {
        this.sendFile(path.resolve(file), options, callback);
    }

    download(file, ...others) {
        const name = typeof others[0] === 'string' ? others.shift() : path.basename(file);
        this.attachment(name);
        const hasRoot = typeof others[0] === 'object' && Boolean(others[0]?.root);
        this.sendFile(hasRoot ? file : path.resolve(file), ...others);
    }

    render(_view, ...others) {
        const error = new Error('there is no view engine: use res.send');
        const callback = others.pop();
        if (typeof callback === 'function') {
            callback(error);
        } else {
            throw error;
        }
    }
}

/** A type whose text is sent in UTF-8, whatever a script has said. */
function inUTF8(type) {
    return /;\s*charset\s*=/i.test(type) ? type.replace(/(;\s*charset\s*=\s*)("[^"]*"|[^\s;]*)/i, '$1utf-8') : `${type}; charset=utf-8`;
}

/** The header for a file that is to be saved. A name with other characters than those of Latin-1 is written twice. */
function dispositionOf(name) {
    const plain = name.replace(/[^\x20-\x7e\xa0-\xff]/g, '?');
    const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
    return `attachment; filename="${plain.replace(/["\\]/g, '\\$&')}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}

/** The tag of a body: its length and a part of its hash. */
function tagOf(bytes) {
    const hash = bytes.length === 0 ? '2jmj7l5rSw0yVb/vlWAYkK/YBwk' : createHash('sha1').update(bytes).digest('base64').slice(0, 27);
    return `W/"${bytes.length.toString(16)}-${hash}"`;
}

module.exports = { Response };
