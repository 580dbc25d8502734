import assert from 'node:assert/strict';
import { it } from 'node:test';
import { imageTag, networkName } from '../../../controllers/engine/names.ts';
import { newId } from '../../../specs/meta.ts';
import { aDeployment } from '../../support/store.ts';

const shop = (noise: number) => {
  return { id: newId('project', 0, new Uint8Array(10).fill(noise)), name: 'shop' };
};

it('gives every project a network of its own, also one that has the name of a deleted one, and of another node', () => {
  const names = [networkName('00000000aaaaaaaa', shop(1)), networkName('00000000aaaaaaaa', shop(2))];
  names.push(networkName('00000000bbbbbbbb', shop(1)));
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.match(name, /^svc-[a-z0-9]{8}-shop-[a-z0-9]{8}$/);
});

it('gives every deployment a tag that is a valid reference', () => {
  assert.match(imageTag(aDeployment()), /^svc\/svc-[a-z0-9]{26}:dep-[a-z0-9]{26}$/);
});
