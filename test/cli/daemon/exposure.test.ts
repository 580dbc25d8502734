import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warnOfExposure } from '../../../cli/daemon/exposure.ts';
import { readSettings } from '../../../cli/daemon/settings.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** What is logged for a SERVICE_API_LISTEN. */
function warnings(listen?: string) {
  const log = recordingLog();
  warnOfExposure(readSettings(listen === undefined ? {} : { SERVICE_API_LISTEN: listen }, {}).apiListen, log);
  return log.lines;
}

describe('the API without TLS', () => {
  const quiet = [
    '127.0.0.1:9400',
    '127.9.9.9:1',
    '[::1]:9400',
    'localhost:9400',
    'LOCALHOST:9400',
    '[::ffff:127.0.0.1]:9400',
  ];
  it('is quiet where only this machine reaches it', () => {
    assert.deepEqual(warnings(), []);
    for (const listen of quiet) assert.deepEqual(warnings(listen), [], listen);
  });

  const loud: Record<string, string> = {
    ':9400': '[::]:9400',
    '0.0.0.0:9400': '0.0.0.0:9400',
    '10.0.0.5:9400': '10.0.0.5:9400',
    '203.0.113.9:443': '203.0.113.9:443',
    '[2001:db8::1]:9400': '[2001:db8::1]:9400',
    '[::ffff:10.0.0.5]:9400': '[::ffff:10.0.0.5]:9400',
    'localhost.example.com:9400': 'localhost.example.com:9400',
  };
  for (const [listen, address] of Object.entries(loud)) {
    it(`warns of ${listen}, and says what to do`, () => {
      const lines = warnings(listen);
      assert.deepEqual(
        lines.map(({ level, fields }) => [level, fields]),
        [['warn', { api: address }]],
      );
      assert.ok(lines[0]?.message.startsWith(`the API listens on ${address} without TLS:`));
      assert.match(String(lines[0]?.message), /Set SERVICE_API_LISTEN to 127\.0\.0\.1:9400/);
    });
  }
});
