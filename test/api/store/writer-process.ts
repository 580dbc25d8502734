/** A process that writes for ever, one line for each write that was acknowledged. For durability.test.ts. */
import { writeSync } from 'node:fs';
import { aDeployment, anId, aService, aStore } from '../../support/store.ts';

const [file = '', round = '0'] = process.argv.slice(2);
const store = await aStore({ file });
for (let n = 0; ; n++) {
  const id = anId('service', Number(round) * 1_000_000 + n);
  await store.write(async (writer) => {
    await writer.create('Service', aService({ id, name: `web-${round}-${n}` }));
    await writer.create('Deployment', aDeployment({ id: id.replace('svc_', 'dep_'), owner: id }));
  });
  writeSync(1, `${id}\n`);
}
