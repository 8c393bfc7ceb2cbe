'use strict';

/**
 * Cuts a command into words. Quotes keep words together; a backslash in quotes keeps the next character as it is.
 * @param {string} text
 * @returns {string[]}
 */
function words(text) {
    const found = [];
    let word = '';
    let quote = null;
    for (let index = 0; index < text.length; index += 1) {
        const character = text[index];
        if (quote !== null && character === '\\' && index + 1 < text.length) {
            index += 1;
            word += text[index];
        } else if (quote === null && (character === '"' || character === "'")) {
            quote = character;
        } else if (character === quote) {
            quote = null;
        } else if (quote === null && character === ' ') {
            found.push(word);
            word = '';
        } else {
            word += character;
        }
    }
    found.push(word);
    return found.filter((part) => part !== '');
}

/**
 * The arguments among a command's words: `--key value`, `--flag`, `key:value` and `-- key value`. Other words are ignored.
 * @param {string[]} parts the words after the command's id
 * @param {Object<string, {type: string}>} schemas
 */
function namedArguments(parts, schemas) {
    const found = {};
    const isValue = (part) => part !== undefined && !part.startsWith('--') && !part.includes(':');
    for (let index = 0; index < parts.length; index += 1) {
        const part = parts[index];
        if (part.startsWith('--')) {
            const key = part === '--' ? parts[index += 1] : part.slice(2);
            if (key === undefined) {
                break;
            }
            const isFlag = part !== '--' && schemas[key]?.type === 'boolean';
            const hasValue = !isFlag && isValue(parts[index + 1]);
            found[key] = hasValue ? parts[index += 1] : true;
        } else if (part.includes(':')) {
            const colon = part.indexOf(':');
            found[part.slice(0, colon)] = part.slice(colon + 1);
        }
    }
    return found;
}

const yes = new Set(['true', 't', 'yes', 'y', '1', 'on']);
const no = new Set(['false', 'f', 'no', 'n', '0', 'off']);

const converters = {
    string: (_name, value) => String(value),
    number(name, value) {
        const number = Number(value);
        if (Number.isNaN(number)) {
            throw new Error(`Argument ${name} must be a number`);
        }
        return number;
    },
    boolean(_name, value) {
        const text = String(value).trim().toLowerCase();
        return yes.has(text) || (!no.has(text) && Boolean(value));
    },
    enum(name, value, schema) {
        if (!Array.isArray(schema.values) || schema.values.length === 0) {
            throw new Error(`Argument ${name}: enum values must be a non-empty array`);
        }
        if (!schema.values.includes(value)) {
            throw new Error(`Argument ${name} must be one of: ${schema.values.join(', ')}`);
        }
        return value;
    },
    user(name, value, _schema, robot) {
        const user = Object.values(robot.brain.users()).find((one) => one.name === value || one.id === value);
        if (!user) {
            throw new Error(`Argument ${name}: user "${value}" not found`);
        }
        return user;
    },
    room(name, value) {
        if (!String(value).startsWith('#')) {
            throw new Error(`Argument ${name}: room must start with #`);
        }
        return value;
    },
    date(name, value) {
        const date = value === 'today' || value === 'tomorrow' ? new Date() : new Date(value);
        if (Number.isNaN(date.getTime())) {
            throw new Error(`Argument ${name}: invalid date "${value}"`);
        }
        if (value === 'today' || value === 'tomorrow') {
            date.setHours(0, 0, 0, 0);
            date.setDate(date.getDate() + (value === 'tomorrow' ? 1 : 0));
        }
        return date;
    },
};

/**
 * A value of the type that the command's argument has.
 * @param {string} name @param {any} value @param {{type: string, values?: any[]}} schema
 * @param {object} robot
 * @param {Map<string, Function>} resolvers types that scripts have added
 * @param {object} context
 */
async function convert(name, value, schema, robot, resolvers, context) {
    const resolver = resolvers.get(schema.type);
    if (resolver) {
        try {
            return await resolver(value, schema, context);
        } catch (error) {
            throw new Error(`Argument ${name}: ${error.message}`);
        }
    }
    return Object.hasOwn(converters, schema.type) ? converters[schema.type](name, value, schema, robot) : value;
}

module.exports = { words, namedArguments, convert };
