import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rules } from '../../../../controllers/engine/managed/firewall.ts';
import { interfaceOf } from '../../../../controllers/engine/docker/networks.ts';
import { placeOf } from '../../../../controllers/engine/managed/place.ts';

describe('rules', () => {
  it('lets workloads out, keeps projects apart and lets nobody in', () => {
    assert.equal(
      rules({ chain: 'SVC-1A2B', interfaces: 'svc1a2b-' }),
      `*mangle
:SVC-1A2B - [0:0]
-A SVC-1A2B -i svc1a2b-+ -o svc1a2b-+ -m physdev --physdev-is-bridged -j RETURN
-A SVC-1A2B -o svc1a2b-+ -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN
-A SVC-1A2B -i svc1a2b-+ -o svc+ -j DROP
-A SVC-1A2B -i svc1a2b-+ -o docker+ -j DROP
-A SVC-1A2B -i svc1a2b-+ -o br-+ -j DROP
-A SVC-1A2B -o svc1a2b-+ -j DROP
-A SVC-1A2B -i svc1a2b-+ -j MARK --set-xmark 0x1000/0x1000
COMMIT
*filter
:SVC-1A2B - [0:0]
-A SVC-1A2B -i svc1a2b-+ -j ACCEPT
-A SVC-1A2B -o svc1a2b-+ -j ACCEPT
COMMIT
*nat
:SVC-1A2B - [0:0]
-A SVC-1A2B -m mark --mark 0x1000/0x1000 ! -o svc1a2b-+ -j MASQUERADE
COMMIT
`,
    );
  });
});

describe('placeOf', () => {
  it('gives two engines of a host different names for everything they share', () => {
    const [one, two] = [placeOf('/var/lib/a', '/run/a'), placeOf('/var/lib/b', '/run/b')];
    for (const key of ['cgroupParent', 'interfaces', 'buildBridge', 'chain', 'endpoint'] as const)
      assert.notEqual(one[key], two[key]);
    assert.deepEqual(placeOf('/var/lib/a', '/run/a'), one);
  });

  it('keeps names of interfaces as short as Linux wants them', () => {
    const place = placeOf('/var/lib/svc/engine', '/run/svc/n/engine');
    assert.ok(place.buildBridge.length <= 15);
    const names = Array.from(
      { length: 1_000 },
      (_, index) => interfaceOf(place, `svc-n-project-${index}`) ?? '',
    );
    assert.equal(new Set(names).size, 1_000);
    for (const name of names) assert.match(name, /^svc[0-9a-f]{4}-[0-9a-z]{7}$/);
  });
});
