// What `import … from 'hubot'` gives: the same classes as `require('hubot')`.
import { createRequire } from 'node:module';

const hubot = createRequire(import.meta.url)('./hubot.js');

export default hubot;
export const {
    Adapter, User, Brain, Robot, Response, Listener, TextListener, Message, TextMessage, EnterMessage, LeaveMessage, TopicMessage,
    CatchAllMessage, DataStore, DataStoreUnavailable, Middleware, CommandBus, loadBot,
} = hubot;
