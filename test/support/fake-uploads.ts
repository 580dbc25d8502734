/** Stages uploads in memory: what is staged is what a test asserts on. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ReceivedUpload, UploadReceiver } from '../../api/ports.ts';

export class FakeUploads implements UploadReceiver {
  /** Id → bytes, also of what is under way. */
  readonly staged = new Map<string, Buffer>();
  /** Ids that were ever begun. */
  readonly begun: string[] = [];
  /** Throws to refuse an archive after this many bytes of it. */
  check: (bytes: number) => void = () => undefined;

  async receive(uploadId: string, body: Readable, signal: AbortSignal): Promise<ReceivedUpload> {
    this.begun.push(uploadId);
    this.staged.set(uploadId, Buffer.alloc(0));
    const abort = () => body.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const all = Buffer.concat([this.staged.get(uploadId) ?? Buffer.alloc(0), chunk]);
      this.staged.set(uploadId, all);
      this.check(all.length);
    }
    const bytes = this.staged.get(uploadId) ?? Buffer.alloc(0);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { bytes: bytes.length, unpacked_bytes: bytes.length, entries: 1, sha256 };
  }

  discard(uploadId: string): Promise<void> {
    this.staged.delete(uploadId);
    return Promise.resolve();
  }
}
