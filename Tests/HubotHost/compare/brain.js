'use strict';

// Compares the brain's functions with those of a real Hubot 3.3.2: HUBOT_DIR=…/node_modules/hubot node brain.js
//
// Each step runs on both; what it returns, the events and the data afterwards must be equal.

const path = require('path');

const { HUBOT_DIR } = process.env;
if (!HUBOT_DIR) {
    console.error('compare: HUBOT_DIR must name the folder of a Hubot 3.3.2');
    process.exit(64);
}
const { EventEmitter } = require('events');

const brains = [require(path.join(HUBOT_DIR, 'src/brain')), require('../../../Sources/HubotHost/JavaScript/brain')].map((Brain) => {
    const robot = { name: 'Hubot', datastore: null, events: new EventEmitter(), on(...values) { this.events.on(...values); }, emit(...values) { this.events.emit(...values); } };
    const brain = new Brain(robot);
    brain.seen = [];
    for (const event of ['loaded', 'save', 'close']) {
        brain.on(event, (data) => brain.seen.push([event, JSON.stringify(data)]));
    }
    return brain;
});

const steps = [
    (b) => b.get('none'), (b) => b.set('a', 1).get('a'), (b) => b.set({ b: [2], c: { d: 3 } }) === b, (b) => b.get('b'), (b) => b.remove('a') === b, (b) => b.get('a'),
    (b) => b.set('null', null).get('null'), (b) => b.set('zero', 0).get('zero'), (b) => b.set('false', false).get('false'), (b) => b.remove('none') === b,
    (b) => b.userForId('1'), (b) => b.userForId('1', { name: 'Ada', room: '#a' }), (b) => b.userForId('2', { name: 'Adam', room: '#b' }), (b) => b.userForId('3', { name: 'ADA' }), (b) => b.userForId(4, { name: 'Bob' }),
    (b) => b.userForId('2', { room: '#b' }), (b) => b.userForId('2'), (b) => b.userForName('ada'), (b) => b.userForName('nobody'), (b) => b.userForName('BOB'),
    (b) => b.usersForRawFuzzyName('ad'), (b) => b.usersForRawFuzzyName('x'), (b) => b.usersForFuzzyName('ada'), (b) => b.usersForFuzzyName('ad'), (b) => b.usersForFuzzyName('bo'), (b) => Object.keys(b.users()),
    (b) => { b.data.free = { deep: [1] }; return b.data; }, (b) => b.mergeData({ free: { other: 1 }, more: 2 }), (b) => b.data.free, (b) => b.mergeData({ users: { 9: { id: '9', name: 'Nine', x: 1 } } }), (b) => b.userForId('9').x,
    (b) => b.userForId('9').constructor.name, (b) => b.userForName('ada'), (b) => b.mergeData(), (b) => b.mergeData({}), (b) => b.save(), (b) => b.setAutoSave(false), (b) => b.autoSave, (b) => b.setAutoSave(true),
    (b) => b.resetSaveInterval(100), (b) => b.close(), (b) => b.data,
];
let equal = 0;
steps.forEach((step) => {
    const [one, other] = brains.map((brain) => {
        brain.seen.length = 0;
        let result;
        try {
            result = step(brain);
        } catch (error) {
            result = `throws ${error.constructor.name}`;
        }
        const text = JSON.stringify([result instanceof EventEmitter ? 'brain' : result ?? null, brain.seen, brain.data]);
        // The order of keys doesn't matter.
        return JSON.stringify(JSON.parse(text, (key, value) => (value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).sort()) : value)));
    });
    equal += one === other ? 1 : 0;
    if (one !== other) {
        console.log(`${step}\n  Hubot ${one}\n  here  ${other}`);
    }
});
console.log(`${equal} of ${steps.length} steps are equal`);
process.exit(equal === steps.length ? 0 : 1);
