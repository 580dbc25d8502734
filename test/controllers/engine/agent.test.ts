import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { inspect } from 'node:util';
import { EngineAgent } from '../../../controllers/engine/agent.ts';

it('what docker-modem renders of it does not grow with the connections that it has', async (t) => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new EngineAgent();
  t.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asked = new Promise<void>((resolve) => {
    let open = 0;
    server.on('request', () => {
      open += 1;
      if (open === 20) resolve();
    });
  });
  for (let request = 0; request < 20; request += 1)
    get({ host: '127.0.0.1', port, agent }).on('error', () => undefined);
  await asked;
  // As docker-modem does it, with each call.
  const text = inspect({ path: '/containers/json', agent }, { showHidden: true, depth: null });
  assert.ok(text.length < 200, text.slice(0, 500));
});
