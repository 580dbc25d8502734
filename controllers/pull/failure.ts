/** What a pull that failed for good is called, and what to do about it. Pure. */
import type { DeploymentReason } from '../../specs/reasons.ts';
import type { RegistryError, RegistryFault } from '../engine/registry-error.ts';

export type PullReason = (typeof DeploymentReason)[
  | 'PullFailed'
  | 'PullTimedOut'
  | 'ImageNotFound'
  | 'RegistryDenied'
  | 'RegistryRateLimited'
  | 'PlatformMismatch'];

/** The image cannot be had. The message is for people, and says what to do. */
export class PullError extends Error {
  readonly reason: PullReason;

  constructor(reason: PullReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'PullError';
    this.reason = reason;
  }
}

/** What was asked for, of whom, and as whom. */
export interface Asked {
  reference: string;
  registry: string;
  /** undefined: as nobody */
  username: string | undefined;
}

const reasons: Readonly<Record<RegistryFault, PullReason>> = {
  denied: 'RegistryDenied',
  not_found: 'ImageNotFound',
  platform: 'PlatformMismatch',
  rate_limited: 'RegistryRateLimited',
  stalled: 'PullTimedOut',
  interrupted: 'PullFailed',
  unreachable: 'PullFailed',
  untrusted: 'PullFailed',
  damaged: 'PullFailed',
  full: 'PullFailed',
};

export function pullError(error: RegistryError, asked: Asked): PullError {
  return new PullError(reasons[error.fault], `${error.message}. ${advice(error, asked)}`, error);
}

function advice({ fault, retryAfter }: RegistryError, { reference, registry, username }: Asked): string {
  const add = `svc registries add ${registry} --username NAME`;
  switch (fault) {
    case 'denied':
      return username === undefined
        ? `It was asked without credentials. Add them: ${add}. Or there is no image ${reference}`
        : `It was asked as ${username}. Correct that: svc registries remove ${registry}, then ${add}`;
    case 'not_found':
      return `Check name and tag of ${reference}`;
    case 'platform':
      return 'Push one that is made for it (docker build --platform), then deploy again';
    case 'rate_limited': {
      const again =
        retryAfter === undefined
          ? 'When it will again, the engine does not hand on: deploy again later'
          : `It wants to be asked again in ${duration(retryAfter)}: deploy again then`;
      return username === undefined ? `${again}, or pull with credentials: ${add}` : again;
    }
    case 'stalled':
    case 'unreachable':
      return 'Check its name, and that this machine reaches it; then deploy again';
    case 'interrupted':
      return 'Deploy again; if it breaks off each time, check the registry, and what lies between it and this machine';
    case 'untrusted':
      return 'Then deploy again';
    case 'damaged':
      return 'Push the image again, or deploy another one';
    case 'full':
      return 'Make room on it, then deploy again';
  }
}

/** @param ms milliseconds; rounded up, in the unit that people would take */
function duration(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1_000)} s`;
  return ms < 2 * 3_600_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 3_600_000)} h`;
}
