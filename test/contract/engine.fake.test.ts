/** The fake engine keeps the contract. */
import { Readable } from 'node:stream';
import { FakeEngine } from '../support/fake-engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { engineContract } from './engine.ts';

engineContract('fake', () => {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  let images = 0;
  const credentials = { server: '127.0.0.1:5001', username: 'puller', password: 'pull-password-1' };
  engine.registries.guard(credentials.server, credentials.username, credentials.password);
  engine.registries.fail('127.0.0.1:5002', 'unreachable', 2);
  return Promise.resolve({
    engine,
    unique: 'fake',
    range: '10.1.2',
    image: (program) => Promise.resolve(engine.addImage(`image:${images++}`, program)),
    prepare: (tag, { prints, exits, hangs }) => {
      const step = '[2/2] RUN a step';
      engine.scriptBuild(tag, {
        lines: [step, prints],
        ...(exits === undefined ? {} : { fails: `${step}: exit code ${exits}\n${prints}` }),
        ...(hangs ? { hangs } : {}),
      });
      return Promise.resolve(Readable.from([Buffer.from('context')]));
    },
    registry: {
      server: '127.0.0.1:5000',
      publish: (name, program) =>
        Promise.resolve(engine.registries.publish(`127.0.0.1:5000/${name}`, program)),
    },
    guarded: {
      ...credentials,
      publish: (name, program) =>
        Promise.resolve(engine.registries.publish(`${credentials.server}/${name}`, program)),
    },
    nobody: '127.0.0.1:5002',
    pause: (id) => {
      engine.containerWith(id).pause();
      return Promise.resolve();
    },
    tune: (id, lasting) => {
      engine.containerWith(id).tune({ words: 'something', lasting });
      return Promise.resolve();
    },
    tick: () => clock.advance(100),
    close: () => Promise.resolve(),
  });
});
