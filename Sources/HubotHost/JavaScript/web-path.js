'use strict';

/**
 * The regular expression of a route's path, as Express has it: `:name`, `:name?`, `:name(\\d+)`, `:name*`, `*`, `*name`,
 * `{optional}`, groups, a regular expression, or a list of these.
 *
 * @param {string|RegExp|Array} path
 * @param {{end: boolean, strict?: boolean, caseSensitive?: boolean}} options `end`: the whole path must match, not only its start
 * @returns {(path: string) => {path: string, params: object}|null} what of a path matches, and the parameters
 */
module.exports = function matcherOf(path, options) {
    if (Array.isArray(path)) {
        const matchers = path.map((one) => matcherOf(one, options));
        return (text) => {
            for (const match of matchers) {
                const found = match(text);
                if (found) {
                    return found;
                }
            }
            return null;
        };
    }
    if (path instanceof RegExp) {
        return (text) => {
            const found = text.match(new RegExp(path.source, path.flags.replace(/[gy]/g, '')));
            return found && { path: found[0], params: { ...numbered(found.slice(1).map(decoded)), ...found.groups } };
        };
    }
    if (!options.end && (path === '/' || path === '')) {
        return () => ({ path: '', params: {} });
    }
    const { source, keys } = translate(String(path), options);
    const regex = new RegExp(source, options.caseSensitive ? '' : 'i');
    return (text) => {
        const found = regex.exec(text);
        return found && { path: found[0].replace(/\/$/, options.end ? '/' : ''), params: paramsOf(keys, found) };
    };
};

/** The source of the regular expression, and what its groups are. */
function translate(path, { end, strict }) {
    const keys = [];
    let number = 0;
    let source = '^';
    let rest = end && !strict ? path.replace(/(.)\/$/, '$1') : path.replace(/\/$/, '');
    while (rest !== '') {
        const parameter = /^(\/)?:(\w+)(\([^()]*(?:\([^()]*\)[^()]*)*\))?([?*+])?/.exec(rest);
        const wildcard = /^\*(\w+)?/.exec(rest);
        if (parameter) {
            const [whole, slash = '', name, pattern, modifier] = parameter;
            const group = pattern ? pattern.slice(1, -1).replace(/\((?!\?)/g, '(?:') : '[^\\/]+?';
            const repeated = modifier === '*' || modifier === '+' ? `${group}(?:\\/${group})*` : group;
            keys.push({ name });
            source += modifier === '?' || modifier === '*' ? `(?:${escape(slash)}(${repeated}))?` : `${escape(slash)}(${repeated})`;
            rest = rest.slice(whole.length);
        } else if (wildcard) {
            keys.push(wildcard[1] === undefined ? { name: number } : { name: wildcard[1], list: true });
            number += wildcard[1] === undefined ? 1 : 0;
            source += '(.*)';
            rest = rest.slice(wildcard[0].length);
        } else {
            const [character] = rest;
            if (character === '(' && !rest.startsWith('(?')) {
                keys.push({ name: number });
                number += 1;
            }
            source += { '{': '(?:', '}': ')?' }[character] ?? ('()?+|'.includes(character) ? character : escape(character));
            rest = rest.slice(1);
        }
    }
    return { source: source + (end ? `${strict ? '' : '\\/?'}$` : '(?=\\/|$)'), keys };
}

function escape(text) {
    return text.replace(/[-[\]{}()*+?.,\\^$|#/\s]/g, '\\$&');
}

function paramsOf(keys, found) {
    const params = {};
    keys.forEach(({ name, list }, index) => {
        const value = decoded(found[index + 1]);
        if (value !== undefined || typeof name === 'string') {
            params[name] = list && value !== undefined ? value.split('/') : value;
        }
    });
    return params;
}

function numbered(values) {
    return Object.fromEntries(values.map((value, index) => [index, value]).filter(([, value]) => value !== undefined));
}

function decoded(text) {
    if (text === undefined) {
        return undefined;
    }
    try {
        return decodeURIComponent(text);
    } catch {
        throw Object.assign(new Error(`Failed to decode param '${text}'`), { status: 400, statusCode: 400 });
    }
}
