'use strict';

const callableWithoutNew = require('./callable-without-new');

/** What a user did in a room. */
const Message = callableWithoutNew(class Message {
    constructor(user, done = false) {
        this.user = user;
        this.done = done || false;
        this.room = user?.room;
    }

    /** No later listener gets this message. */
    finish() {
        this.done = true;
    }
});

/** What a user said. */
const TextMessage = callableWithoutNew(class TextMessage extends Message {
    constructor(user, text, id) {
        super(user);
        this.text = text;
        this.id = id;
    }

    match(regex) {
        return this.text.match(regex);
    }

    toString() {
        return this.text;
    }
});

/** A user has entered a room. */
const EnterMessage = callableWithoutNew(class EnterMessage extends Message {});

/** A user has left a room. */
const LeaveMessage = callableWithoutNew(class LeaveMessage extends Message {});

/** A user has changed the topic, which is the text. */
const TopicMessage = callableWithoutNew(class TopicMessage extends TextMessage {});

/** A message that no listener matched. */
const CatchAllMessage = callableWithoutNew(class CatchAllMessage extends Message {
    constructor(message) {
        super(message.user);
        this.message = message;
    }
});

module.exports = { Message, TextMessage, EnterMessage, LeaveMessage, TopicMessage, CatchAllMessage };
