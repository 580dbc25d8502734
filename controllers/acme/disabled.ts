/** In the place of an authority on a node that asks for no certificates: orders of a time when it did end with this. */
import { AcmeError, type Acme } from './acme.ts';

const refuse = (): Promise<never> => {
  const message =
    'This node asks for no certificates any longer: its operator has to set SERVICE_ACME_EMAIL.';
  return Promise.reject(new AcmeError('refused', message));
};

export const disabledAcme: Acme = {
  newOrder: refuse,
  order: refuse,
  authorization: refuse,
  ready: refuse,
  finalize: refuse,
  download: refuse,
};
