/**
 * Loaded before a test file: keeps its compiled code for the next one, which loads the same libraries. Not by $NODE_COMPILE_CACHE,
 * which the processes that a test starts would inherit: they have caches of their own.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled-tests', import.meta.url)));
