/**
 * Every command: its words, and how to load it. Only what was asked for is loaded, so that a small command starts fast.
 * The path of a command is the path of its file.
 */
import type { CommandClass } from 'clipanion';
import type { Context } from '../context.ts';

export interface CommandEntry {
  path: readonly string[];
  load: () => Promise<CommandClass<Context>>;
}

export const commands: readonly CommandEntry[] = [
  { path: ['setup'], load: async () => (await import('./setup.ts')).SetupCommand },
  { path: ['serve'], load: async () => (await import('./serve.ts')).ServeCommand },
  { path: ['node', 'status'], load: async () => (await import('./node/status.ts')).NodeStatusCommand },
  { path: ['auth'], load: async () => (await import('./auth.ts')).AuthCommand },
  { path: ['push'], load: async () => (await import('./push.ts')).PushCommand },
  { path: ['logs'], load: async () => (await import('./logs.ts')).LogsCommand },
  { path: ['rollback'], load: async () => (await import('./rollback.ts')).RollbackCommand },
  { path: ['restart'], load: async () => (await import('./restart.ts')).RestartCommand },
  { path: ['stop'], load: async () => (await import('./stop.ts')).StopCommand },
  { path: ['start'], load: async () => (await import('./start.ts')).StartCommand },
  { path: ['get'], load: async () => (await import('./get.ts')).GetCommand },
  { path: ['describe'], load: async () => (await import('./describe.ts')).DescribeCommand },
  {
    path: ['projects', 'create'],
    load: async () => (await import('./projects/create.ts')).CreateProjectCommand,
  },
  {
    path: ['services', 'create'],
    load: async () => (await import('./services/create.ts')).CreateServiceCommand,
  },
  { path: ['version'], load: async () => (await import('./version.ts')).VersionCommand },
];
