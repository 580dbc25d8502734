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

describe('how a node verifies domains', () => {
  it('is by default as the world does it', () => {
    const { dnsServers, challengePort, fetchAllow } = readSettings({}, {});
    assert.deepEqual([dnsServers, challengePort, fetchAllow], [[], 80, []]);
  });

  it('is what the settings say', () => {
    const env = {
      SERVICE_DNS_SERVERS: '127.0.0.1:5353',
      SERVICE_PUBLIC_HTTP_PORT: '8080',
      SERVICE_FETCH_ALLOW: '127.0.0.0/8',
    };
    const { dnsServers, challengePort, fetchAllow } = readSettings(env, {});
    assert.deepEqual([dnsServers, challengePort], [['127.0.0.1:5353'], 8080]);
    assert.deepEqual(fetchAllow, [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }]);
  });

  it('is refused where it makes no sense, all of it at once', () => {
    const env = {
      SERVICE_DNS_SERVERS: 'dns.example.com',
      SERVICE_PUBLIC_HTTP_PORT: '0',
      SERVICE_FETCH_ALLOW: '10.0.0.0/33',
    };
    assert.throws(
      () => readSettings(env, {}),
      (error) => {
        assert.ok(error instanceof SettingsError);
        assert.deepEqual(error.message.split('\n'), [
          'SERVICE_PUBLIC_HTTP_PORT: "0" is no port: write 1 to 65535',
          'SERVICE_DNS_SERVERS: "dns.example.com" is no resolver: write an address such as 192.0.2.53 or 192.0.2.53:5353',
          'SERVICE_FETCH_ALLOW: "10.0.0.0/33" is no range of addresses: write 10.1.0.0/16 or fd12:3456::/32',
        ]);
        return true;
      },
    );
  });
});

describe('how a node speaks TLS', () => {
  it("asks for no certificate without an e-mail, and asks Let's Encrypt with one", () => {
    const { acmeEmail, acmeDirectories } = readSettings({}, {});
    assert.equal(acmeEmail, null);
    assert.deepEqual(acmeDirectories, ['https://acme-v02.api.letsencrypt.org/directory']);
    assert.equal(readSettings({ SERVICE_ACME_EMAIL: 'ops@example.com' }, {}).acmeEmail, 'ops@example.com');
  });

  it('listens where it is told to, or not at all', () => {
    const tls = (text: string) => {
      const { httpsListen, publicHttpsPort } = readSettings({ SERVICE_HTTPS_LISTEN: text }, {});
      return [httpsListen, publicHttpsPort];
    };
    assert.deepEqual(tls('127.0.0.1:4430, [::1]:4431'), [['127.0.0.1:4430', '[::1]:4431'], 4430]);
    assert.deepEqual(tls(''), [[], null]);
  });

  it('tries authorities in order, each of them once', () => {
    const [one, two] = ['https://one.test/dir', 'https://two.test/dir'];
    const { acmeDirectories } = readSettings({ SERVICE_ACME_DIRECTORY: `${one}, ${two},${one}` }, {});
    assert.deepEqual(acmeDirectories, [one, two]);
  });

  it('is refused where it makes no sense', () => {
    const refused = (env: NodeJS.ProcessEnv): string => {
      try {
        return JSON.stringify(readSettings(env, {}));
      } catch (error) {
        return String(error);
      }
    };
    assert.match(refused({ SERVICE_ACME_EMAIL: 'nobody' }), /"nobody" is no e-mail address/);
    assert.match(refused({ SERVICE_ACME_EMAIL: 'a@b.test,c@d.test' }), /is no e-mail address/);
    assert.match(refused({ SERVICE_ACME_DIRECTORY: 'http://ca.test/dir' }), /write its https:\/\/ URL/);
    assert.match(refused({ SERVICE_ACME_DIRECTORY: '' }), /is no ACME directory/);
    assert.match(refused({ SERVICE_HTTPS_LISTEN: 'here' }), /"here" is no address/);
  });
});
