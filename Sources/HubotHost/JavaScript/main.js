'use strict';

// Runs Hubot scripts for Heybot, which starts this program and speaks JSON lines with it over its standard streams.
// The protocol is described in ScriptHostProtocol.md.

const limits = require('./limits');
const { LineReader, writeLine } = require('./json-lines');
const { takeStreams, takeProcess } = require('./standard-streams');
const { Host } = require('./host');
const { BackgroundTimers } = require('./background-timers');

const exit = process.exit.bind(process);
let host = null;
const { input, output } = takeStreams((text) => host?.printed(text));

function write(message) {
    try {
        writeLine(output, message);
    } catch {
        // The robot has closed the stream: it has ended.
        exit(0);
    }
}

host = new Host({ write, exit, input, timers: new BackgroundTimers() });
takeProcess((name, ...values) => host.exitCalled(name, ...values));
process.on('uncaughtException', (error) => host.uncaught(error));
process.on('unhandledRejection', (error) => host.uncaught(error));
// The robot ends this process. A Ctrl-C in the robot's terminal, or the signals of a service manager to all processes, are for
// the robot alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {});
}

const reader = new LineReader(limits.lineFromRobot, (message) => host.handle(message), (problem) => host.log('error', problem));
input.on('data', (bytes) => reader.push(bytes));
input.on('end', () => host.stop());
input.on('error', () => exit(0));
