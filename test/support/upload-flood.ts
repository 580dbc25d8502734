/**
 * Receives one upload from standard input and prints how much memory that took, as JSON: bytes of resident memory at its
 * peak beyond what the idle process had. Argument: a folder to work in.
 */
import { setImmediate } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { openUploads } from '../../controllers/build/uploads.ts';
import { ProblemError } from '../../specs/problem.ts';
import { packUpload, uploadId } from './archives.ts';

const [dir = ''] = process.argv.slice(2);
const uploads = await openUploads({ dir });
const receive = (body: Readable) => uploads.receive(uploadId(), body, new AbortController().signal);

await receive(Readable.from([await packUpload([{ name: 'warm-up', content: 'x' }])]));
await setImmediate();
const idle = process.memoryUsage.rss();
const outcome = await receive(process.stdin).then(
  ({ entries, unpacked_bytes: bytes }) => `${entries} entries, ${bytes} bytes`,
  (error: unknown) => (error instanceof ProblemError ? error.message : String(error)),
);
const peak = process.resourceUsage().maxRSS * 1024;
process.stdout.write(JSON.stringify({ outcome, grown: peak - idle }));
process.stdin.destroy();
