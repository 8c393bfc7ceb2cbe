'use strict';

const fs = require('fs');
const Module = require('module');
const path = require('path');
const { pathToFileURL } = require('url');
const coffeescript = require('./coffeescript');
const context = require('./context');
const { parseHeader } = require('./help');
const { hookImport } = require('./module-hooks');

const loadable = ['.js', '.cjs', '.mjs', '.ts', '.mts', ...coffeescript.extensions];

/** The help lines of a script's file. */
function helpOf(file, robotName) {
    return parseHeader(fs.readFileSync(file, 'utf8'), robotName).commands;
}

/** Finds, compiles and runs scripts. */
class Loader {
    /**
     * @param {object} host
     * @param {object} robot
     * @param {{loadTime: number}} options how long a script may take to load, in milliseconds
     */
    constructor(host, robot, { loadTime }) {
        this.host = host;
        this.robot = robot;
        this.loadTime = loadTime;
        this.packageFolder = process.cwd();
    }

    /**
     * Loads one script, and tells the robot how that went.
     * @param {{id: string, path: string}} script
     */
    async load(script) {
        const record = this.host.addScript(script);
        const loading = this.run(record);
        if (loading !== undefined) {
            await this.withTime(loading, record);
        }
    }

    /** Runs a script. Returns a promise if it takes longer than this call. */
    run(record) {
        return context.run({ script: record }, () => {
            try {
                const loaded = needsImport(record.path) ? importModule(record.path) : requireModule(record.path);
                const started = typeof loaded?.then === 'function' && !(typeof loaded === 'function')
                    ? loaded.then((module) => this.call(record, module))
                    : this.call(record, loaded);
                if (typeof started?.then === 'function') {
                    return Promise.resolve(started).then(() => this.finish(record), (error) => this.fail(record, error));
                }
                this.finish(record);
            } catch (error) {
                this.fail(record, error);
            }
            return undefined;
        });
    }

    call(record, module) {
        const script = typeof module === 'function' ? module : module?.default;
        if (typeof script !== 'function') {
            const type = typeof (script ?? module);
            throw new NoScript(`Expected ${record.path} to assign a function to module.exports, got ${type}`);
        }
        return record.hasOptions ? script(this.robot, record.options) : script(this.robot);
    }

    finish(record) {
        if (record.state === 'loading') {
            if (record.package === undefined) {
                this.robot.commands.push(...helpOf(record.path, this.robot.name));
            }
            this.host.scriptLoaded(record);
        } else {
            this.host.log('warning', `${record.id} has finished loading, but after the time limit`, record);
        }
    }

    fail(record, error) {
        this.host.scriptFailed(record, error);
    }

    /** Waits for a script, but not longer than it may take. The others must not wait for it. */
    async withTime(loading, record) {
        let timer;
        const late = new Promise((resolve) => {
            timer = setTimeout(() => {
                if (record.state === 'loading') {
                    this.host.scriptFailed(record, new Error(`it hasn't finished loading after ${this.loadTime / 1000} s`));
                }
                resolve();
            }, this.loadTime);
        });
        await Promise.race([loading, late]);
        clearTimeout(timer);
    }

    /** `robot.load`: all scripts of a folder. */
    loadFolder(folder) {
        this.robot.logger.debug(`Loading scripts from ${folder}`);
        let files = [];
        try {
            files = fs.readdirSync(folder).sort();
        } catch (error) {
            this.robot.logger.debug(`can't read ${folder}: ${error.message}`);
        }
        return Promise.all(files.map((file) => this.loadFile(folder, file)));
    }

    /** `robot.loadFile`: one script. A script that isn't an ES module is loaded when this returns. */
    loadFile(folder, file) {
        const full = path.resolve(folder, file);
        if (!loadable.some((extension) => file.endsWith(extension)) || !isFile(full)) {
            return Promise.resolve();
        }
        const record = this.host.addScript({ id: this.host.freeScriptID(path.basename(file)), path: full });
        const loading = this.run(record);
        return loading === undefined ? Promise.resolve() : this.withTime(loading, record);
    }

    /**
     * Loads packages with scripts, as in external-scripts.json: a list of names, or an object with options.
     * @param {string[]|Object<string, any>} packages
     */
    async loadPackages(packages) {
        const hasOptions = !Array.isArray(packages);
        for (const [name, options] of hasOptions ? Object.entries(packages ?? {}) : packages.map((one) => [one])) {
            let file;
            let problem;
            try {
                file = Module.createRequire(path.join(this.packageFolder, 'package.json')).resolve(name);
            } catch (error) {
                problem = error;
            }
            const record = this.host.addScript({ id: this.host.freeScriptID(name), path: file ?? name, package: name });
            Object.assign(record, { hasOptions, options });
            if (problem) {
                record.missing = [name];
                this.fail(record, new Error(`the package ${name} isn't installed in ${this.packageFolder}: run npm install ${name}`));
                continue;
            }
            const loading = this.run(record);
            if (loading !== undefined) {
                await this.withTime(loading, record);
            }
        }
    }
}

/** A file that exports no script. */
class NoScript extends Error {}

function isFile(file) {
    try {
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

function needsImport(file) {
    return /\.(mjs|mts|ts)$/.test(file) || (file.endsWith('.js') && isTypeModule(file));
}

function requireModule(file) {
    if (file.endsWith('.js') && /^\s*(import[\s{*"']|export\s)/m.test(fs.readFileSync(file, 'utf8'))) {
        return importModule(file);
    }
    try {
        // A script that is loaded again runs again only through its function, as in Hubot.
        return require(file);
    } catch (error) {
        if (error?.code === 'ERR_REQUIRE_ESM' && file.endsWith('.js')) {
            return importModule(file);
        }
        throw error;
    }
}

async function importModule(file) {
    hookImport();
    const { href } = pathToFileURL(file);
    try {
        return await import(href);
    } catch (error) {
        // Older versions of Node take a `.js` file for CommonJS unless its package says otherwise.
        if (file.endsWith('.js') && error instanceof SyntaxError && !isTypeModule(file)) {
            return import(`${href}?module`);
        }
        throw error;
    }
}

/** Whether the nearest package.json says that `.js` files are ES modules. */
function isTypeModule(file) {
    let folder = path.dirname(file);
    for (;;) {
        try {
            return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).type === 'module';
        } catch {
            if (folder === path.dirname(folder)) {
                return false;
            }
            folder = path.dirname(folder);
        }
    }
}

module.exports = { Loader, helpOf, NoScript };
