/** The fake engine keeps the contract. */
import { Readable } from 'node:stream';
import { FakeEngine } from '../support/fake-engine.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { engineContract } from './engine.ts';

engineContract('fake', () => {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  let images = 0;
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
    tick: () => clock.advance(100),
    close: () => Promise.resolve(),
  });
});
