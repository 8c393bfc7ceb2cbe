'use strict';

// The media types of names and file endings that scripts use. Text has a charset, as Express adds it.
const types = {
    html: 'text/html', htm: 'text/html', txt: 'text/plain', text: 'text/plain', css: 'text/css', csv: 'text/csv', xml: 'application/xml',
    js: 'application/javascript', mjs: 'application/javascript', json: 'application/json', map: 'application/json', md: 'text/markdown',
    coffee: 'text/coffeescript', ics: 'text/calendar', yaml: 'text/yaml', yml: 'text/yaml', rss: 'application/rss+xml', atom: 'application/atom+xml',
    urlencoded: 'application/x-www-form-urlencoded', form: 'application/x-www-form-urlencoded', bin: 'application/octet-stream', pdf: 'application/pdf',
    zip: 'application/zip', gz: 'application/gzip', tar: 'application/x-tar', wasm: 'application/wasm', png: 'image/png', jpg: 'image/jpeg',
    jpeg: 'image/jpeg', gif: 'image/gif', svg: 'image/svg+xml', ico: 'image/x-icon', webp: 'image/webp', mp3: 'audio/mpeg', wav: 'audio/wav',
    ogg: 'audio/ogg', mp4: 'video/mp4', webm: 'video/webm', woff: 'font/woff', woff2: 'font/woff2', ttf: 'font/ttf',
};

/** A type with its charset, if it is text without one. */
function withCharset(type) {
    return /^(text\/|application\/(javascript|json)$)/i.test(type) && !/;\s*charset\s*=/i.test(type) ? `${type}; charset=utf-8` : type;
}

/**
 * The media type of a name, such as `json`, of a file, or of a type itself.
 * @param {string} name
 */
function typeOf(name) {
    if (name.includes('/')) {
        return name;
    }
    return types[name.split('.').pop().toLowerCase()] ?? 'application/octet-stream';
}

module.exports = { typeOf, withCharset };
