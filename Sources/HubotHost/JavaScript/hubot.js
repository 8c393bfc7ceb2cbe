'use strict';

// What `require('hubot')` gives.
const { Adapter } = require('./adapter');
const { DataStore, DataStoreUnavailable } = require('./abstract-datastore');
const { Listener, TextListener } = require('./listener');
const messages = require('./message-classes');
const { CommandBus } = require('./command-bus');

module.exports = {
    Adapter,
    User: require('./user'),
    Brain: require('./brain'),
    Robot: require('./robot'),
    Response: require('./response').Response,
    Listener,
    TextListener,
    ...messages,
    DataStore,
    DataStoreUnavailable,
    Middleware: require('./middleware'),
    CommandBus,
    loadBot() {
        throw new Error("the robot runs already: a script can't create another one");
    },
};
