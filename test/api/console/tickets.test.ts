import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createTickets } from '../../../api/console/tickets.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function world() {
  const clock = new ManualClock();
  const tickets = createTickets<{ serviceId: string; who: string }>(clock, randomBytes);
  return { clock, tickets, ann: { serviceId: 'svc_1', who: 'ann' } };
}

describe('tickets', () => {
  it('open what they were minted for, once', () => {
    const { tickets, ann } = world();
    const ticket = tickets.mint(ann);
    assert.match(ticket, /^svc_ticket_[\w-]{43}$/);
    assert.equal(tickets.redeem(ticket, 'svc_1'), ann);
    assert.equal(tickets.redeem(ticket, 'svc_1'), undefined);
  });

  it('are good for 30 seconds', async () => {
    const { clock, tickets, ann } = world();
    const [first, second] = [tickets.mint(ann), tickets.mint(ann)];
    await clock.advance(29_999);
    assert.equal(tickets.redeem(first, 'svc_1'), ann);
    await clock.advance(1);
    assert.equal(tickets.redeem(second, 'svc_1'), undefined);
    assert.equal(clock.pending, 0);
  });

  it('that were shown to another service are used up: somebody has them who should not', () => {
    const { tickets, ann } = world();
    const ticket = tickets.mint(ann);
    assert.equal(tickets.redeem(ticket, 'svc_2'), undefined);
    assert.equal(tickets.redeem(ticket, 'svc_1'), undefined);
  });

  it('that nobody uses are bounded for each service, and so is how long that lasts', async () => {
    const { clock, tickets, ann } = world();
    for (let count = 0; count < 100; count++) tickets.mint(ann);
    const refused = (error: unknown) => error instanceof ProblemError && error.code === 'rate_limited';
    assert.throws(() => tickets.mint(ann), refused);
    const other = tickets.mint({ serviceId: 'svc_2', who: 'ann' });
    assert.ok(tickets.redeem(other, 'svc_2'));
    await clock.advance(30_000);
    assert.ok(tickets.redeem(tickets.mint(ann), 'svc_1'));
  });

  it('are no two alike, and none is another with something added', () => {
    const { tickets, ann } = world();
    const all = Array.from({ length: 100 }, () => tickets.mint(ann));
    assert.equal(new Set(all).size, 100);
    for (const ticket of all) {
      for (const other of [`${ticket}=`, ` ${ticket}`, ticket.slice(0, -1), ticket.toUpperCase(), ''])
        assert.equal(tickets.redeem(other, 'svc_1'), undefined);
    }
    for (const ticket of all) assert.equal(tickets.redeem(ticket, 'svc_1'), ann);
  });
});
