'use strict';

const { words, namedArguments, convert } = require('./command-bus-arguments');
const { ScriptEvents } = require('./script-events');

// What the bus knows beyond its help lines; hidden, because scripts print and copy `robot.commands`.
const hidden = Symbol('state');

/**
 * `robot.commands`: up to Hubot 13 an array of help lines, since 14 the registry of commands with arguments. Here it is both.
 */
class CommandBus extends Array {
    static get [Symbol.species]() {
        return Array;
    }

    /**
     * @param {object} robot
     * @param {{onRegister?: (command: object) => void}} [options]
     */
    constructor(robot, options = {}) {
        super();
        const state = {
            robot,
            onRegister: options.onRegister ?? (() => {}),
            events: new ScriptEvents(),
            commands: new Map(),
            pending: new Map(),
            resolvers: new Map(),
            lifetime: options.proposalTTL ?? 300000,
        };
        Object.defineProperty(this, hidden, { value: state });
        for (const [name, value] of Object.entries({
            prefix: options.prefix ?? '', permissionProvider: options.permissionProvider ?? null,
        })) {
            Object.defineProperty(this, name, { value, writable: true, configurable: true });
        }
    }

    on(event, listener) {
        this[hidden].events.on(event, listener);
        return this;
    }

    once(event, listener) {
        this[hidden].events.once(event, listener);
        return this;
    }

    off(event, listener) {
        this[hidden].events.off(event, listener);
        return this;
    }

    emit(event, ...values) {
        return this[hidden].events.emit(event, ...values);
    }

    /** Adds a command. With `{update: true}` it may replace one of the same id. */
    register(spec, { update = false } = {}) {
        const state = this[hidden];
        if (!spec.id) {
            throw new Error('Command spec must have an id');
        }
        if (typeof spec.handler !== 'function') {
            throw new Error('Command spec must have a handler function');
        }
        const known = state.commands.has(spec.id);
        if (known && !update) {
            throw new Error(`Command ${spec.id} is already registered`);
        }
        const aliases = aliasesOf(spec.aliases);
        const command = {
            id: spec.id,
            description: spec.description || '',
            aliases,
            normalizedAliases: aliases.map(normal),
            examples: spec.examples || [],
            args: spec.args || {},
            sideEffects: spec.sideEffects || [],
            confirm: spec.confirm || 'if_ambiguous',
            permissions: spec.permissions || {},
            handler: spec.handler,
        };
        state.commands.set(command.id, command);
        this.tell(known ? 'updated' : 'registered', { commandId: command.id, aliases: command.normalizedAliases });
        const collisions = this.aliasCollisions();
        if (Object.keys(collisions).length > 0) {
            this.tell('alias_collision_detected', { collisions });
        }
        if (!known) {
            this.push(`hubot ${command.id}${command.description ? ` - ${command.description}` : ''}`);
            state.onRegister(command);
        }
        return command;
    }

    /** Adds a type of arguments: `resolver(value, schema, context)` returns the value, or throws. */
    registerTypeResolver(type, resolver) {
        if (typeof type !== 'string' || type === '') {
            throw new Error('Type name must be a non-empty string');
        }
        if (typeof resolver !== 'function') {
            throw new Error('Resolver must be a function');
        }
        this[hidden].resolvers.set(type, resolver);
    }

    unregister(id) {
        return this[hidden].commands.delete(id);
    }

    getCommand(id) {
        return this[hidden].commands.get(id);
    }

    listCommands({ prefix = '' } = {}) {
        return [...this[hidden].commands.values()].filter((command) => command.id.startsWith(prefix));
    }

    aliasCollisions() {
        const owners = new Map();
        for (const command of this.listCommands()) {
            for (const alias of command.normalizedAliases) {
                owners.set(alias, [...(owners.get(alias) ?? []), command.id]);
            }
        }
        return Object.fromEntries([...owners].filter(([, ids]) => ids.length > 1));
    }

    /** Commands that a text is about, the best first. */
    search(query) {
        if (typeof query !== 'string' || query === '') {
            return [];
        }
        const wanted = normal(query).split(' ').filter(Boolean);
        const shared = (text) => {
            const found = normal(text).split(' ');
            return wanted.filter((word) => found.includes(word)).length;
        };
        const best = (texts) => Math.max(0, ...texts.map(shared));
        return this.listCommands().map((command) => {
            const alias = command.normalizedAliases.includes(normal(query)) ? 100 : best(command.normalizedAliases) * 10;
            const description = shared(command.description) * 5;
            const example = best(command.examples) * 5;
            const score = Math.max(alias, description, example);
            const others = example >= description ? 'example' : 'description';
            return { id: command.id, score, matchedOn: alias === score ? 'alias' : others };
        }).filter(({ score }) => score > 0).sort((one, other) => other.score - one.score);
    }

    /** The help text of a command, or null. */
    getHelp(id) {
        const command = this.getCommand(id);
        if (!command) {
            return null;
        }
        let help = `Command: ${id}\nDescription: ${command.description}\nUsage: ${this.prefix}${id} [options]\n`;
        if (command.aliases.length > 0) {
            help += `Intent: ${command.aliases.join(', ')}\n`;
        }
        const schemas = Object.entries(command.args);
        if (schemas.length > 0) {
            help += '\nArguments:\n';
            for (const [name, schema] of schemas) {
                const required = schema.required ? ' (required)' : '';
                const usual = schema.default === undefined ? '' : ` [default: ${schema.default}]`;
                const values = schema.values ? ` [values: ${schema.values.join(', ')}]` : '';
                help += `  --${name} (${schema.type})${required}${usual}${values}\n`;
            }
        }
        if (command.examples.length > 0) {
            help += `\nExamples:\n${command.examples.map((example) => `  ${example}\n`).join('')}`;
        }
        return help;
    }

    /** The command and arguments of a text, or null if the text doesn't start with the id of a command. */
    parse(text) {
        if (typeof text !== 'string' || text === '') {
            return null;
        }
        const [id, ...parts] = words((text.startsWith(this.prefix) ? text.slice(this.prefix.length) : text).trim());
        const command = this.getCommand(id);
        if (!command) {
            return null;
        }
        const args = namedArguments(parts, command.args);
        this.tell('invocation_parsed', { commandId: id, args });
        return { commandId: id, args, rawText: text };
    }

    /** Converts arguments to their types, and says which are missing or invalid. */
    async validate(id, given, context) {
        const { robot, resolvers } = this[hidden];
        const command = this.getCommand(id);
        if (!command) {
            return { ok: false, errors: [`Command ${id} not found`], missing: [] };
        }
        const args = { ...given };
        const errors = [];
        const missing = [];
        for (const [name, schema] of Object.entries(command.args)) {
            if (schema.required && args[name] == null) {
                missing.push(name);
            } else if (args[name] === undefined) {
                if (schema.default !== undefined) {
                    args[name] = schema.default;
                }
            } else {
                try {
                    args[name] = await convert(name, args[name], schema, robot, resolvers, context);
                } catch (error) {
                    errors.push(error.message);
                }
            }
        }
        if (missing.length > 0 || errors.length > 0) {
            this.tell('validation_failed', { commandId: id, errors, missing });
            return { ok: false, errors, missing, args };
        }
        return { ok: true, args };
    }

    needsConfirmation(id) {
        const command = this.getCommand(id);
        if (!command || command.confirm === 'never') {
            return false;
        }
        return command.confirm === 'always' || command.sideEffects.length > 0;
    }

    /** Keeps a command until the user says yes or no. */
    async propose({ commandId, args }, context) {
        const state = this[hidden];
        if (!state.commands.has(commandId)) {
            throw new Error(`Command ${commandId} not found`);
        }
        const key = keyOf(context);
        clearTimeout(state.pending.get(key)?.timer);
        const timer = setTimeout(() => state.pending.delete(key), state.lifetime);
        timer.unref();
        const proposal = { commandId, args, context, preview: this.preview(commandId, args), confirmationKey: key, timestamp: Date.now() };
        state.pending.set(key, { ...proposal, timer });
        this.tell('proposal_created', { commandId, confirmationKey: key });
        this.tell('proposal_confirm_requested', { commandId, confirmationKey: key });
        return proposal;
    }

    /** Whether a command of this user waits for a yes or no in this room. */
    hasProposal(context) {
        return this[hidden].pending.has(keyOf(context));
    }

    /** Takes a yes or no. Null if nothing waits for it. */
    async confirm(reply, context) {
        const state = this[hidden];
        const key = keyOf(context);
        const waiting = state.pending.get(key);
        const answer = String(reply).toLowerCase().trim();
        if (!waiting || !['yes', 'y', 'no', 'n', 'cancel'].includes(answer)) {
            return null;
        }
        clearTimeout(waiting.timer);
        state.pending.delete(key);
        const accepted = answer === 'yes' || answer === 'y';
        this.tell(accepted ? 'proposal_confirmed' : 'proposal_cancelled', { commandId: waiting.commandId, confirmationKey: key });
        if (!accepted) {
            return { cancelled: true };
        }
        return { executed: true, result: await this.execute(waiting.commandId, waiting.args, waiting.context) };
    }

    async execute(id, args, context) {
        const command = this.getCommand(id);
        if (!command) {
            throw new Error(`Command ${id} not found`);
        }
        const { rooms = [], roles = [] } = command.permissions;
        if (rooms.length > 0 && !rooms.includes(context.room)) {
            this.tell('permission_denied', { commandId: id, room: context.room });
            throw new Error('Permission denied: command not allowed in this room');
        }
        // Unlike Hubot's, an unknown role isn't a permission: without a provider nobody has it.
        if (roles.length > 0 && !(await this.permissionProvider?.hasRole?.(context.user, roles, context))) {
            this.tell('permission_denied', { commandId: id, roles });
            throw new Error('Permission denied: insufficient role');
        }
        try {
            const result = await command.handler({ args, context });
            this.tell('executed', { commandId: id });
            return result;
        } catch (error) {
            this.tell('error', { commandId: id, error: error.message });
            throw error;
        }
    }

    /** Runs the command of a text, or returns why it doesn't run; null if it is no command. */
    async invoke(text, context) {
        const parsed = this.parse(text);
        if (!parsed) {
            return null;
        }
        if (parsed.args.help === true || parsed.args.h === true) {
            return { ok: true, helpOnly: true, result: this.getHelp(parsed.commandId) };
        }
        const checked = await this.validate(parsed.commandId, parsed.args, context);
        if (!checked.ok) {
            return checked;
        }
        if (this.needsConfirmation(parsed.commandId)) {
            return { needsConfirmation: true, proposal: await this.propose({ commandId: parsed.commandId, args: checked.args }, context) };
        }
        return { ok: true, result: await this.execute(parsed.commandId, checked.args, context) };
    }

    clearPendingProposals() {
        for (const { timer } of this[hidden].pending.values()) {
            clearTimeout(timer);
        }
        this[hidden].pending.clear();
    }

    preview(id, args) {
        const parts = Object.entries(args).map(([key, value]) => {
            const text = value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
            return ` --${key} ${/[ "]/.test(text) ? JSON.stringify(text) : text}`;
        });
        return this.prefix + id + parts.join('');
    }

    tell(event, details) {
        this.emit(`commands:${event}`, { ...details, timestamp: Date.now() });
    }
}

function keyOf({ user, room }) {
    return `${user?.id}:${room}`;
}

function normal(text) {
    return String(text).trim().replace(/\s+/g, ' ').toLowerCase();
}

function aliasesOf(aliases) {
    if (aliases == null) {
        return [];
    }
    if (!Array.isArray(aliases) || aliases.some((alias) => typeof alias !== 'string')) {
        throw new Error('Command aliases must be an array of strings');
    }
    const found = new Map();
    for (const alias of aliases) {
        if (alias.trim() === '') {
            throw new Error('Command aliases must be non-empty strings');
        }
        if (!found.has(normal(alias))) {
            found.set(normal(alias), alias.trim());
        }
    }
    return [...found.values()];
}

module.exports = { CommandBus };
