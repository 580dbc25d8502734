/** Registries that the fake engine can ask: images by reference, who may have them, and what goes wrong. */
import { createHash } from 'node:crypto';
import { formatImageReference, parseImageReference, repositoryOf } from '../../specs/image-reference.ts';
import { EngineError, type ImageFacts } from '../../controllers/engine/engine.ts';
import { RegistryError, type RegistryFault } from '../../controllers/engine/registry-error.ts';
import type { PullRequest, RegistryRequest } from '../../controllers/engine/registry-request.ts';
import type { Program } from './fake-container.ts';
import type { FakeImages } from './fake-images.ts';

interface Published {
  digest: string;
  program: Program;
}

export class FakeRegistries {
  /** By whole reference: with a tag, and with a digest. */
  private readonly images = new Map<string, Published>();
  private readonly passwords = new Map<string, { username: string; password: string }>();
  private readonly faults: { registry: string; fault: RegistryFault | 'hangs'; retryAfter?: number }[] = [];
  private serial = 0;

  /** Puts an image under a tag, whatever was there before. @returns `repository@sha256:…` */
  publish(reference: string, program: Program = {}): string {
    const named = parseImageReference(reference);
    if ('fault' in named) throw new Error(`fake registry: ${reference} ${named.fault}`);
    const digest = `sha256:${createHash('sha256').update(`${reference} ${++this.serial}`).digest('hex')}`;
    const pinned = `${repositoryOf(named)}@${digest}`;
    for (const name of [formatImageReference(named), pinned]) this.images.set(name, { digest, program });
    return pinned;
  }

  /** From now on this registry wants to know who asks. */
  guard(registry: string, username: string, password: string): void {
    this.passwords.set(registry, { username, password });
  }

  /** The next `times` questions to this registry fail. `hangs`: they are never answered. */
  fail(registry: string, fault: RegistryFault | 'hangs', times = 1): void {
    for (let count = 0; count < times; count++) this.faults.push({ registry, fault });
  }

  /** The next question to this registry is one too many. @param retryAfter milliseconds that it says */
  limit(registry: string, retryAfter: number): void {
    this.faults.push({ registry, fault: 'rate_limited', retryAfter });
  }

  async resolve(request: RegistryRequest): Promise<string> {
    return (await this.find(request)).digest;
  }

  async pull(request: PullRequest, engine: FakeImages, id: string): Promise<ImageFacts> {
    const { digest, program } = await this.find(request);
    const named = parseImageReference(request.reference);
    if ('fault' in named) throw new Error(`fake registry: ${request.reference} ${named.fault}`);
    const pinned = `${repositoryOf(named)}@${digest}`;
    request.onLine('0123456789ab: done');
    if (engine.find(pinned) === undefined) engine.addPulled(id, pinned, program);
    if (named.digest === null) engine.tag(engine.find(pinned) ?? id, request.reference);
    return engine.inspect(pinned) ?? { id, digests: [pinned] };
  }

  private async find({ reference, auth, signal }: RegistryRequest): Promise<Published> {
    const aborted = () => new EngineError('aborted', 'The pull was cancelled');
    if (signal.aborted) throw aborted();
    const named = parseImageReference(reference);
    if ('fault' in named) throw new EngineError('refused', 'This is no image reference');
    const { registry } = named;
    const index = this.faults.findIndex((planned) => planned.registry === registry);
    const { fault, retryAfter } = (index === -1 ? undefined : this.faults.splice(index, 1)[0]) ?? {};
    if (fault === 'hangs') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw aborted();
    }
    if (fault)
      throw new RegistryError(fault, `The registry ${registry} has a fault: ${fault}`, undefined, retryAfter);
    const wanted = this.passwords.get(registry);
    if (wanted && (auth?.username !== wanted.username || auth.password !== wanted.password))
      throw new RegistryError(
        'denied',
        `The registry ${registry} does not give ${named.path} to this project`,
      );
    const found = this.images.get(reference);
    if (!found) throw new RegistryError('not_found', `The registry ${registry} has no such image`);
    return found;
  }
}
