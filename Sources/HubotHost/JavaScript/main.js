'use strict';

// Runs Hubot scripts for Heybot, which starts this program and speaks JSON lines with it over its standard streams.
// The protocol is described in ScriptHostProtocol.md.

const limits = require('./limits');
const { LineReader, writeLine } = require('./protocol');
const { takeStreams, takeProcess } = require('./standard-streams');
const { Host } = require('./host');

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

host = new Host(write, exit);
takeProcess((name, code) => host.exitCalled(name, code));
process.on('uncaughtException', (error) => host.uncaught(error));
process.on('unhandledRejection', (error) => host.uncaught(error));
// The robot ends this process; a Ctrl-C in the robot's terminal is for the robot alone.
process.on('SIGINT', () => {});

const reader = new LineReader(limits.lineFromRobot, (message) => host.handle(message), (problem) => host.log('error', problem));
input.on('data', (bytes) => reader.push(bytes));
input.on('end', () => exit(0));
input.on('error', () => exit(0));
