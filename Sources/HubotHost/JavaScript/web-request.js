'use strict';

const { IncomingMessage } = require('http');
const { parse: parseURL } = require('url');
const { typeOf } = require('./web-media-types');

/** What a route gets as the request: Node's, with what Express adds. */
class Request extends IncomingMessage {
    get(name) {
        const lower = String(name).toLowerCase();
        return lower === 'referer' || lower === 'referrer' ? this.headers.referrer ?? this.headers.referer : this.headers[lower];
    }

    header(name) {
        return this.get(name);
    }

    /** A parameter of the route, of the body or of the query. */
    param(name, otherwise) {
        for (const values of [this.params, this.body, this.query]) {
            if (values !== null && typeof values === 'object' && Object.hasOwn(values, name) && values[name] !== undefined) {
                return values[name];
            }
        }
        return otherwise;
    }

    get _parsedUrl() {
        if (this._parsed?.href !== this.url) {
            this._parsed = Object.assign(parseURL(this.url), { href: this.url });
        }
        return this._parsed;
    }

    // The package `parseurl` keeps its own here.
    set _parsedUrl(parsed) {
        this._parsed = parsed;
    }

    get path() {
        const end = this.url.search(/[?#]/);
        return end < 0 ? this.url : this.url.slice(0, end);
    }

    get secure() {
        return this.protocol === 'https';
    }

    get protocol() {
        const forwarded = this.trusts && this.headers['x-forwarded-proto'];
        return forwarded ? forwarded.split(',')[0].trim() : (this.socket?.encrypted ? 'https' : 'http');
    }

    get trusts() {
        return Boolean(this.app?.settings?.['trust proxy']);
    }

    get ip() {
        return this.ips[0] ?? this.socket?.remoteAddress;
    }

    get ips() {
        const forwarded = this.trusts ? this.headers['x-forwarded-for'] : undefined;
        return forwarded ? forwarded.split(',').map((one) => one.trim()) : [];
    }

    get host() {
        return (this.trusts && this.headers['x-forwarded-host']) || this.headers.host;
    }

    get hostname() {
        return this.host?.replace(/:\d+$/, '');
    }

    get subdomains() {
        return (this.hostname ?? '').split('.').reverse().slice(2);
    }

    get xhr() {
        return String(this.headers['x-requested-with']).toLowerCase() === 'xmlhttprequest';
    }

    get fresh() {
        const { method, res } = this;
        return (method === 'GET' || method === 'HEAD') && ((res.statusCode >= 200 && res.statusCode < 300) || res.statusCode === 304)
            && isFresh(this.headers, res);
    }

    get stale() {
        return !this.fresh;
    }

    /** Which of the types the body has, such as `req.is('json')`; false if none. */
    is(...types) {
        const own = String(this.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
        const hasBody = this.headers['transfer-encoding'] !== undefined || this.headers['content-length'] !== undefined;
        if (!hasBody || own === '') {
            return types.flat().length === 0 || hasBody ? false : null;
        }
        const found = types.flat().find((type) => matches(own, type));
        if (found === undefined) {
            return types.flat().length === 0 ? own : false;
        }
        return found.includes('*') || found.startsWith('+') ? own : found;
    }

    /** The best of the types for the client; false if it accepts none. */
    accepts(...types) {
        return best(this.headers.accept ?? '*/*', types.flat(), (type, range) => {
            const [wanted] = range.split(';');
            return wanted === '*/*' || matches(typeOf(type).split(';')[0], wanted);
        });
    }

    acceptsEncodings(...names) {
        return best(this.headers['accept-encoding'] ?? 'identity', names.flat(), named);
    }

    acceptsCharsets(...names) {
        return best(this.headers['accept-charset'] ?? '*', names.flat(), named);
    }

    acceptsLanguages(...names) {
        return best(this.headers['accept-language'] ?? '*', names.flat(), named);
    }
}

function named(name, range) {
    return range === '*' || range.toLowerCase() === String(name).toLowerCase();
}

/** Whether a type, such as `application/json`, is what a pattern means: `json`, `application/*`, `+json`. */
function matches(own, pattern) {
    if (pattern === 'urlencoded') {
        return own === 'application/x-www-form-urlencoded';
    }
    if (pattern === 'multipart') {
        return own.startsWith('multipart/');
    }
    if (pattern.startsWith('+')) {
        return own.endsWith(pattern);
    }
    const full = pattern.includes('/') ? pattern : typeOf(pattern).split(';')[0];
    return new RegExp(`^${full.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&')).join('[^/]*')}$`).test(own);
}

/** Of the offers, the one that a header of the kind `Accept` prefers; false if it accepts none. */
function best(header, offers, fits) {
    const ranges = header.split(',').map((part, index) => {
        const quality = /;\s*q=([\d.]+)/.exec(part);
        return { range: part.split(';')[0].trim(), index, quality: quality ? Number(quality[1]) : 1 };
    });
    if (offers.length === 0) {
        return ranges.sort((one, other) => other.quality - one.quality).map(({ range }) => range);
    }
    let [found, foundScore] = [false, 0];
    for (const offer of offers) {
        const matching = ranges.filter(({ range }) => fits(offer, range)).sort((one, other) => one.range.split('*').length - other.range.split('*').length);
        const score = matching.length > 0 ? matching[0].quality - (matching[0].index / 1000) : 0;
        if (matching.length > 0 && matching[0].quality > 0 && score > foundScore) {
            [found, foundScore] = [offer, score];
        }
    }
    return found;
}

/** Whether the client has the answer already. */
function isFresh(headers, response) {
    const tags = headers['if-none-match'];
    const since = headers['if-modified-since'];
    if ((tags === undefined && since === undefined) || /(^|,)\s*no-cache\s*(,|$)/.test(headers['cache-control'] ?? '')) {
        return false;
    }
    if (tags !== undefined && tags !== '*') {
        const tag = response.getHeader('ETag');
        const plain = (text) => text.trim().replace(/^W\//, '');
        return tag !== undefined && tags.split(',').some((one) => plain(one) === plain(tag));
    }
    const modified = response.getHeader('Last-Modified');
    return tags === '*' || (modified !== undefined && Date.parse(modified) <= Date.parse(since));
}

module.exports = { Request };
