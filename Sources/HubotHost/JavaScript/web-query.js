'use strict';

// The longest list that a number in brackets may make, and the deepest nesting.
const longest = 20;
const deepest = 5;

/**
 * Parses a query or a form, in which brackets make objects and lists: `a[b]=1&c[]=2&c[]=3`.
 * @param {string} text
 * @param {number} [most] further fields are left out
 * @returns {object}
 */
exports.parse = function parse(text, most = 1000) {
    const result = {};
    for (const part of String(text).split('&', most)) {
        if (part !== '') {
            const sign = part.indexOf(']=') >= 0 ? part.indexOf(']=') + 1 : part.indexOf('=');
            const key = decode(sign < 0 ? part : part.slice(0, sign));
            if (key !== '') {
                add(result, keysOf(key), sign < 0 ? '' : decode(part.slice(sign + 1)));
            }
        }
    }
    return compact(result);
};

/** Parses without brackets; a field that is repeated becomes a list. */
exports.parseFlat = (text, most) => ({ ...require('querystring').parse(String(text), '&', '=', { maxKeys: most ?? 1000 }) });

/** `a[b][]` as `a`, `b` and an empty text. */
function keysOf(key) {
    const open = key.indexOf('[');
    const keys = open === 0 ? [] : [open < 0 ? key : key.slice(0, open)];
    let rest = open < 0 ? '' : key.slice(open);
    while (keys.length <= deepest) {
        const found = /^\[([^[\]]*)\]/.exec(rest);
        if (!found) {
            break;
        }
        keys.push(found[1]);
        rest = rest.slice(found[0].length);
    }
    if (rest !== '') {
        keys.push(rest);
    }
    return keys;
}

function add(object, keys, value) {
    // Names that all objects have would be taken for functions.
    if (keys.some((key) => key in Object.prototype)) {
        return;
    }
    let at = object;
    for (const [index, key] of keys.entries()) {
        const name = key === '' && index > 0 ? freeNumber(at) : key;
        const known = Object.hasOwn(at, name) ? at[name] : undefined;
        const next = keys[index + 1];
        if (next === undefined) {
            at[name] = known === undefined ? value : [].concat(known, value);
            return;
        }
        const isItem = next === '' || (/^\d+$/.test(next) && Number(next) <= longest);
        if (known === undefined) {
            at[name] = isItem ? [] : {};
        } else if (typeof known !== 'object') {
            at[name] = isItem ? [known] : [known, {}];
        } else if (Array.isArray(known) && !isItem) {
            at[name] = { ...known };
        }
        at = at[name];
        if (Array.isArray(at) && !isItem) {
            at = at[1];
        }
    }
}

function freeNumber(list) {
    if (Array.isArray(list)) {
        return list.length;
    }
    let number = 0;
    while (Object.hasOwn(list, number)) {
        number += 1;
    }
    return number;
}

/** Lists without holes. */
function compact(value) {
    if (Array.isArray(value)) {
        return Object.keys(value).map((key) => compact(value[key]));
    }
    if (value !== null && typeof value === 'object') {
        for (const key of Object.keys(value)) {
            value[key] = compact(value[key]);
        }
    }
    return value;
}

function decode(text) {
    const spaced = text.replace(/\+/g, ' ');
    try {
        return decodeURIComponent(spaced);
    } catch {
        return spaced;
    }
}
