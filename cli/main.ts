#!/usr/bin/env node
/** Entry point of `svc`: sets up what must hold before anything else is loaded, and loads it. */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// An event loop that dies before the command has ended must not look like success.
process.exitCode = 1;

// Compiled code is kept between runs, which halves the time of a small command. In a folder of the user's own: the
// default lies in the shared temporary folder, where another user could leave code for us to run.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'svc', 'compiled'));

await import('./process.ts');
