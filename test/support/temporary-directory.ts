/** A directory of one test file, removed when its process ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-test-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}
