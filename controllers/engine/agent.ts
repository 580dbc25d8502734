/**
 * The connections to the engine that are kept. docker-modem (5.0.7) renders the options of every call for its debug output
 * also while nobody asked for that, with all that hangs on them to any depth: without a word of its own an agent with forty
 * connections costs 300 ms of the event loop per call.
 */
import { Agent } from 'node:http';
import { inspect } from 'node:util';

export class EngineAgent extends Agent {
  constructor() {
    // The timeout is for idle connections. Milliseconds.
    super({ keepAlive: true, timeout: 30_000 });
  }

  [inspect.custom](): string {
    return 'EngineAgent';
  }
}
