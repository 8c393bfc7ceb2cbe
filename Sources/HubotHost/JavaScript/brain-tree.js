'use strict';

const { isTooDeep } = require('./json-depth');
const limits = require('./limits');

// Scripts may replace these functions, such as when they use a nick as the name of a property.
const objects = { keys: Object.keys, hasOwn: Object.hasOwn };
const json = { stringify: JSON.stringify };

/**
 * The entries of a brain that the robot has, as a tree, and the search for what differs from them.
 *
 * An entry is a path in `robot.brain.data` with its value. Each property of `data` that is an object is divided into one
 * entry for each of its own properties: so each user is an entry, each value of `brain.set`, and each key of a table such
 * as `data.karma`. What lies deeper belongs to its entry, but an object that is large is divided again.
 */
class BrainTree {
    /** @param {(path: string[], problem: string) => void} refuse is told about values that can't be entries */
    constructor(refuse) {
        this.refuse = refuse;
        this.root = new Node();
        this.number = 0;
        this.deadline = Infinity;
        this.count = 0;
    }

    /** The node of an entry, which is made if it doesn't exist. */
    node(path) {
        let node = this.root;
        for (const key of path) {
            node.children ??= new Map();
            if (!node.children.has(key)) {
                node.children.set(key, new Node());
            }
            node = node.children.get(key);
        }
        return node;
    }

    /** Notes that the robot has an entry with this value. */
    set(path, value) {
        const node = this.node(path);
        // If the robot still has entries below a value that has none, the next comparison removes them.
        if (canBeDivided(value)) {
            node.children = null;
        }
        node.text = json.stringify(value);
    }

    /** Notes that the robot doesn't have an entry; those below it are entries of their own. Returns the JSON that it had. */
    remove(path) {
        const node = this.find(path);
        const text = node?.text;
        if (node) {
            node.text = undefined;
        }
        return text;
    }

    /**
     * Whether the value at a path differs from the entry that the robot has there, or, if the value belongs to an entry above
     * it, from that one. What is divided isn't compared.
     */
    isChanged(path, data) {
        let [node, value] = [this.root, data];
        this.path = [];
        for (const key of path) {
            if (node.text !== undefined) {
                break;
            }
            node = node.children?.get(key) ?? new Node();
            value = canBeDivided(value) && objects.hasOwn(value, key) ? this.valueOf(value, key) : undefined;
            this.path.push(key);
        }
        if (node.children !== null) {
            return false;
        }
        const text = this.textOf(node, value);
        return text !== node.text && (text === undefined || this.isAccepted(text));
    }

    /** Whether the robot has an entry at a path, or below it. */
    hasEntry(path) {
        const isUsed = (node) => node.text !== undefined || [...node.children?.values() ?? []].some(isUsed);
        const node = this.find(path);
        return node !== undefined && isUsed(node);
    }

    find(path) {
        return path.reduce((node, key) => node?.children?.get(key), this.root);
    }

    /**
     * Looks for changes. The generator stops when the time is over, so that other code can run; the caller sets
     * `deadline` before it continues.
     * @param {object} data
     * @param {(path: string[], text: string|undefined) => void} found gets each entry that has changed, and its JSON
     */
    *look(data, found) {
        this.number += 1;
        this.found = found;
        this.path = [];
        yield* this.compareGroup(this.root, data);
    }

    *compare(node, value) {
        const depth = this.path.length;
        const isGroup = canBeDivided(value);
        if (isGroup && (depth < 2 || node.children !== null)) {
            yield* this.compareGroup(node, value);
            return;
        }
        let text = this.textOf(node, value);
        this.count += 1;
        if (isGroup && text?.length > limits.brainDivided && depth < limits.brainDepth) {
            yield* this.compareGroup(node, value);
            return;
        }
        if (text !== undefined && text !== node.text && !this.isAccepted(text)) {
            text = node.text;
        }
        if (text !== node.text) {
            node.text = text;
            this.found(this.path, text);
        }
        this.forget(node);
        if (this.count % 32 === 0 && performance.now() > this.deadline) {
            yield;
        }
    }

    /** Whether a value can be stored. */
    isAccepted(text) {
        if (text.length > limits.brainValue) {
            this.refuse(this.path, `it has ${text.length} characters as JSON; the maximum is ${limits.brainValue}`);
            return false;
        }
        if (isTooDeep(text)) {
            this.refuse(this.path, `it has more than ${limits.levels} levels of nested lists and objects`);
            return false;
        }
        return true;
    }

    /** Compares what an object has with the entries that it had. */
    *compareGroup(node, value) {
        const { number } = this;
        node.children ??= new Map();
        for (const key of objects.keys(value)) {
            let child = node.children?.get(key);
            if (child === undefined) {
                child = new Node();
                (node.children ??= new Map()).set(key, child);
            }
            child.number = number;
            const depth = this.path.length;
            this.path.push(key);
            try {
                yield* this.compare(child, this.valueOf(value, key));
            } catch (error) {
                // Such as a proxy's function that throws: the entry stays as it was, and the others are compared.
                this.path.length = depth + 1;
                this.refuse([...this.path], String(error?.message).split('\n')[0]);
            }
            this.path.length = depth;
        }
        for (const [key, child] of node.children ?? []) {
            if (child.number !== number) {
                this.path.push(key);
                this.gone(child);
                this.path.pop();
                node.children.delete(key);
            }
        }
        if (node.text !== undefined) {
            node.text = undefined;
            this.found(this.path, undefined);
        }
    }

    /** Reports that an entry, or all entries below it, don't exist any more. */
    gone(node) {
        if (node.text !== undefined) {
            this.found(this.path, undefined);
        }
        this.forget(node);
    }

    forget(node) {
        if (node.children === null) {
            return;
        }
        for (const [key, child] of node.children) {
            this.path.push(key);
            this.gone(child);
            this.path.pop();
        }
        node.children = null;
    }

    /** The JSON of a value. If there is none, the entry stays as it was. */
    textOf(node, value) {
        try {
            const text = json.stringify(value);
            // To Hubot's functions, null is no value.
            const isNothing = text === 'null' || (text === '{}' && isAlways(this.path));
            return isNothing ? undefined : text;
        } catch (error) {
            this.refuse(this.path, String(error?.message).split('\n')[0]);
            return node.text;
        }
    }

    valueOf(object, key) {
        try {
            return object[key];
        } catch (error) {
            this.refuse([...this.path], String(error?.message));
            return undefined;
        }
    }
}

class Node {
    constructor() {
        /** The JSON of the entry that the robot has at this path. */
        this.text = undefined;
        /** If the value is divided: the nodes by key. */
        this.children = null;
        /** The last look that has seen it. */
        this.number = 0;
    }
}

/** Whether a value is an object whose properties can be entries. */
function canBeDivided(value) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || typeof value.toJSON === 'function') {
        return false;
    }
    for (const key in value) {
        if (objects.hasOwn(value, key)) {
            return true;
        }
    }
    return false;
}

/** Whether a path is that of an object that each brain has. */
function isAlways(path) {
    return path.length === 1 && (path[0] === 'users' || path[0] === '_private');
}

module.exports = { BrainTree, isAlways };
