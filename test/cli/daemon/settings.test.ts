import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSettings, SettingsError } from '../../../cli/daemon/settings.ts';

const day = 86_400_000;

describe('how long a node keeps sessions and the audit', () => {
  const spans = (env: NodeJS.ProcessEnv, flags = {}) => {
    const { sessionIdleMs, sessionMaxMs, auditKeepMs } = readSettings(env, flags);
    return [sessionIdleMs, sessionMaxMs, auditKeepMs];
  };

  it('is 30 days unused, 90 at most, and 90', () => {
    assert.deepEqual(spans({}), [30 * day, 90 * day, 90 * day]);
  });

  it('is what the settings say', () => {
    const env = { SERVICE_SESSION_IDLE: '1h30m', SERVICE_SESSION_MAX: '7d', SERVICE_AUDIT_KEEP: '3650d' };
    assert.deepEqual(spans(env), [5_400_000, 7 * day, 3650 * day]);
    assert.deepEqual(spans(env, { SERVICE_SESSION_IDLE: '5m' }), [300_000, 7 * day, 3650 * day]);
  });

  it('is refused where it makes no sense, all of it at once', () => {
    const env = { SERVICE_SESSION_IDLE: '1m', SERVICE_SESSION_MAX: 'forever', SERVICE_AUDIT_KEEP: '3651d' };
    assert.throws(
      () => readSettings(env, {}),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.deepEqual(error.message.split('\n'), [
          'SERVICE_SESSION_IDLE: "1m" is out of range: write 5m to 3650d',
          'SERVICE_SESSION_MAX: "forever" is no duration: write something like 500ms, 30s, 2m or 1h30m',
          'SERVICE_AUDIT_KEEP: "3651d" is out of range: write 1h to 3650d',
        ]);
        return true;
      },
    );
  });
});
