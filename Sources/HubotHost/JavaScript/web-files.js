'use strict';

const fs = require('fs');
const path = require('path');
const { encodeURL, escapeHTML, sendPage } = require('./web-html');
const { typeOf, withCharset } = require('./web-media-types');

/**
 * Answers with a file: only what the client doesn't have, and only the part that it asks for.
 * @param {object} request
 * @param {object} response
 * @param {string} file
 * @param {object} options `maxAge` in milliseconds, `lastModified`, `etag`, `cacheControl`, `setHeaders`
 * @param {(error?: Error) => void} done
 */
exports.send = function send(request, response, file, options, done) {
    if (file.includes('\0')) {
        done(Object.assign(new Error('Bad Request'), { status: 400 }));
        return;
    }
    fs.open(file, 'r', (problem, descriptor) => {
        if (problem) {
            done(notFound(problem));
            return;
        }
        fs.fstat(descriptor, (error, stat) => {
            if (error || !stat.isFile()) {
                fs.close(descriptor, () => done(notFound(error ?? Object.assign(new Error('it is no file'), { code: 'EISDIR' }))));
                return;
            }
            begin(request, response, { file, descriptor, stat, options, done });
        });
    });
};

function begin(request, response, { file, descriptor, stat, options, done }) {
    const setDefault = (name, value) => {
        if (response.getHeader(name) === undefined) {
            response.setHeader(name, value);
        }
    };
    options.setHeaders?.(response, file, stat);
    setDefault('Accept-Ranges', 'bytes');
    if (options.cacheControl !== false) {
        setDefault('Cache-Control', `public, max-age=${Math.floor(Number(options.maxAge ?? options.maxage ?? 0) / 1000) || 0}${options.immutable ? ', immutable' : ''}`);
    }
    if (options.lastModified !== false) {
        setDefault('Last-Modified', stat.mtime.toUTCString());
    }
    if (options.etag !== false) {
        setDefault('ETag', `W/"${stat.size.toString(16)}-${stat.mtime.getTime().toString(16)}"`);
    }
    if (path.extname(file) !== '') {
        setDefault('Content-Type', charsetInCapitals(withCharset(typeOf(path.extname(file)))));
    } else {
        setDefault('Content-Type', 'application/octet-stream');
    }
    const end = () => fs.close(descriptor, () => done());
    if (request.fresh) {
        response.statusCode = 304;
        ['Content-Type', 'Content-Length'].forEach((name) => response.removeHeader(name));
        response.end();
        end();
        return;
    }
    const range = rangeOf(isUnchanged(request, response) ? request.headers.range : undefined, stat.size);
    if (range === null) {
        response.setHeader('Content-Range', `bytes */${stat.size}`);
        fs.close(descriptor, () => done(Object.assign(new Error('Range Not Satisfiable'), { status: 416 })));
        return;
    }
    if (range.isPart) {
        response.statusCode = 206;
        response.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${stat.size}`);
    }
    response.setHeader('Content-Length', range.end - range.start + 1);
    if (request.method === 'HEAD' || stat.size === 0) {
        response.end();
        end();
        return;
    }
    const stream = fs.createReadStream(file, { fd: descriptor, start: range.start, end: range.end });
    stream.on('error', (error) => {
        response.destroy(error);
        done(error);
    });
    stream.on('end', () => done());
    response.on('close', () => stream.destroy());
    stream.pipe(response);
}

/** As the package `send` writes it. */
function charsetInCapitals(type) {
    return type.replace('charset=utf-8', 'charset=UTF-8');
}

function notFound(error) {
    const isMissing = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EISDIR', 'EACCES', 'ERR_INVALID_ARG_VALUE'].includes(error.code);
    return Object.assign(error, { status: isMissing ? 404 : 500 });
}

/** Whether a client that has a part of the file may get the rest: the file is still the one that it knows. */
function isUnchanged(request, response) {
    const known = request.headers['if-range'];
    if (known === undefined) {
        return true;
    }
    if (known.includes('"')) {
        const tag = response.getHeader('ETag');
        return tag !== undefined && known.includes(tag);
    }
    return Date.parse(response.getHeader('Last-Modified')) <= Date.parse(known);
}

/** The part that is asked for; the whole if it isn't one part; null if there is no such part. */
function rangeOf(header, size) {
    const whole = { start: 0, end: size - 1, isPart: false };
    const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
    if (!found || (found[1] === '' && found[2] === '')) {
        return whole;
    }
    const start = found[1] === '' ? Math.max(0, size - Number(found[2])) : Number(found[1]);
    const end = found[1] === '' || found[2] === '' ? size - 1 : Math.min(Number(found[2]), size - 1);
    return start > end ? null : { start, end, isPart: true };
}

/**
 * Express' `static`: the files of a folder.
 * @param {string} root
 * @param {object} [options] also `index`, `redirect`, `fallthrough`, `dotfiles`
 */
exports.folder = function folder(root, options = {}) {
    const base = path.resolve(root);
    return function serveStatic(request, response, next) {
        const pass = (error) => next(options.fallthrough === false || error?.status >= 500 ? error : undefined);
        if (request.method !== 'GET' && request.method !== 'HEAD') {
            pass(Object.assign(new Error('Method Not Allowed'), { status: 405 }));
            return;
        }
        const wanted = fileOf(request, base, options);
        if (wanted === null) {
            pass(Object.assign(new Error('Not Found'), { status: 404 }));
            return;
        }
        fs.stat(wanted, (error, stat) => {
            if (error) {
                pass(notFound(error));
            } else if (!stat.isDirectory()) {
                exports.send(request, response, wanted, options, (problem) => problem && !response.headersSent && next(problem));
            } else if (!(request.originalUrl ?? request.url).split('?')[0].endsWith('/')) {
                redirect(request, response, options, pass);
            } else {
                index(request, response, wanted, options, pass);
            }
        });
    };
};

/** The file that a request means; null if it may not be sent. */
function fileOf(request, base, options) {
    let relative;
    try {
        relative = decodeURIComponent(request.path);
    } catch {
        return null;
    }
    const leaves = /(^|[\\/])\.\.([\\/]|$)/.test(relative);
    if (relative.includes('\0') || leaves || (isHidden(relative) && options.dotfiles !== 'allow')) {
        return null;
    }
    return path.join(base, relative);
}

/** Whether a file, or a folder on the way to it, has a name that begins with a dot. */
function isHidden(file) {
    return file.split('/').some((part) => part.length > 1 && part.startsWith('.'));
}
exports.isHidden = isHidden;

function redirect(request, response, options, pass) {
    if (options.redirect === false) {
        pass();
        return;
    }
    const url = encodeURL((request.originalUrl ?? request.url).replace(/^\/+/, '/').replace(/([?#]|$)/, '/$1'));
    response.setHeader('Location', url);
    sendPage(request, response, 301, 'Redirecting', `Redirecting to <a href="${escapeHTML(url)}">${escapeHTML(url)}</a>`);
}

function index(request, response, folder, options, pass) {
    const names = options.index === false ? [] : [].concat(options.index ?? 'index.html');
    const step = () => {
        const name = names.shift();
        if (name === undefined) {
            pass();
            return;
        }
        exports.send(request, response, path.join(folder, name), options, (error) => {
            if (error && !response.headersSent) {
                step();
            }
        });
    };
    step();
}
