'use strict';

// Runs on a thread of its own, and notices when the main thread doesn't return; see watchdog.js.

const { Session } = require('inspector');
const { parentPort, workerData } = require('worker_threads');

const { beats, busyTime, heapLimit } = workerData;
// In milliseconds.
const interval = 250;
const intervalWhileGrowing = 25;
const againAfter = 2000;
const nextTry = 20;
// Now and then, the moment is a bad one: a line is being written, or Node's own code runs.
const tries = 20;
// The part of the heap that may be used before the robot is told.
const part = 0.6;

const session = new Session();
session.connectToMainThread();
// A connection that is made while the main thread is busy doesn't work.
session.post('Runtime.evaluate', { expression: '0' }, () => parentPort.postMessage('ready'));

const atStart = process.memoryUsage.rss();
let [beat, since, last] = [Atomics.load(beats, 0), performance.now(), performance.now()];
let [reported, reportedMemory, lastMemory] = [-Infinity, 0, 0];
let asking = false;

function ask(reason, milliseconds, left = tries) {
    asking = true;
    const expression = `globalThis[Symbol.for('heybot.busy')]('${reason}', ${milliseconds})`;
    session.post('Runtime.evaluate', { expression, returnByValue: true }, (_error, answer) => {
        asking = false;
        const current = performance.now() - since;
        if (answer?.result?.value !== true && left > 1 && (reason === 'memory' || current > busyTime)) {
            setTimeout(() => asking || ask(reason, reason === 'memory' ? milliseconds : current, left - 1), nextTry);
        }
    });
}

function look() {
    const now = performance.now();
    // The machine has slept, or has no time: that says nothing about the main thread.
    const isLate = now - last > 4 * interval;
    last = now;
    const current = Atomics.load(beats, 0);
    if (current !== beat || isLate) {
        [beat, since] = [current, now];
    }
    const memory = process.memoryUsage.rss() - atStart;
    if (!asking && memory > part * heapLimit && memory > 1.05 * reportedMemory) {
        reportedMemory = memory;
        ask('memory', now - since);
    } else if (!asking && now - since > busyTime && now - reported > againAfter) {
        reported = now;
        ask('time', now - since);
    }
    reportedMemory = Math.min(reportedMemory, memory);
    setTimeout(look, memory - lastMemory > 0.05 * heapLimit ? intervalWhileGrowing : interval);
    lastMemory = memory;
}

look();
