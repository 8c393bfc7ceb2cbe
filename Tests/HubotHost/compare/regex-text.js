'use strict';

/**
 * A text that a regular expression matches, made from its source: the first alternative, the smallest number of repetitions that
 * shows something, ordinary words for what matches anything. Null if no such text is found.
 */
function textFor(pattern, flags = 'i') {
    let position = 0;
    const groups = [];

    function alternatives() {
        const first = sequence();
        while (pattern[position] === '|') {
            position += 1;
            sequence();
        }
        return first;
    }

    function sequence() {
        let text = '';
        while (position < pattern.length && !'|)'.includes(pattern[position])) {
            text += repeated();
        }
        return text;
    }

    function repeated() {
        const one = atom();
        const quantifier = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/.exec(pattern.slice(position));
        if (!quantifier) {
            return one;
        }
        position += quantifier[0].length;
        const least = quantifier[1] === undefined ? (quantifier[0][0] === '?' ? 0 : 1) : Number(quantifier[1]);
        // What may be missing is left out, except what matches anything: there the script expects something.
        return one.repeat(least === 0 && one === wildcard ? 1 : least);
    }

    const wildcard = 'tea';

    function atom() {
        const character = pattern[position];
        position += 1;
        switch (character) {
            case '(': return group();
            case '[': return set();
            case '\\': return escape();
            case '.': return wildcard;
            case '^': case '$': return '';
            default: return character;
        }
    }

    function group() {
        const special = /^\?(?:[:=!]|<[=!]|<(\w+)>)/.exec(pattern.slice(position));
        if (special) {
            position += special[0].length;
        }
        const text = alternatives();
        position += 1;
        if (special && /[=!]/.test(special[0])) {
            return special[0].includes('!') ? '' : text;
        }
        if (!special || special[1]) {
            groups.push(text);
        }
        return text;
    }

    function set() {
        const begin = position;
        if (pattern[position] === '^') {
            position += 1;
        }
        if (pattern[position] === ']') {
            position += 1;
        }
        while (position < pattern.length && pattern[position] !== ']') {
            position += pattern[position] === '\\' ? 2 : 1;
        }
        position += 1;
        const member = new RegExp(`^[${pattern.slice(begin, position)}$`, flags.replace(/[gy]/g, ''));
        return [...'ta1 -_.@#:/"\'+=?!,'].find((one) => member.test(one)) ?? '';
    }

    function escape() {
        const character = pattern[position];
        position += 1;
        switch (character) {
            case 'b': case 'B': return '';
            case 'd': return '7';
            case 'w': case 'W': return character === 'w' ? 't' : ' ';
            case 's': return ' ';
            case 'S': case 'D': return 't';
            case 'n': return '\n';
            case 't': return '\t';
            case 'u': position += 4; return String.fromCharCode(parseInt(pattern.slice(position - 4, position), 16));
            case 'x': position += 2; return String.fromCharCode(parseInt(pattern.slice(position - 2, position), 16));
            default: return /[1-9]/.test(character) ? groups[character - 1] ?? '' : character;
        }
    }

    const text = alternatives();
    try {
        return text.trim() !== '' && new RegExp(pattern, flags.replace(/[gy]/g, '')).test(text) ? text : null;
    } catch {
        return null;
    }
}

module.exports = { textFor };
