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
  { path: ['gc'], load: async () => (await import('./gc.ts')).GcCommand },
  { path: ['node', 'rotate-key'], load: async () => (await import('./node/rotate-key.ts')).RotateKeyCommand },
  { path: ['auth'], load: async () => (await import('./auth.ts')).AuthCommand },
  { path: ['auth', 'status'], load: async () => (await import('./auth/status.ts')).AuthStatusCommand },
  { path: ['auth', 'logout'], load: async () => (await import('./auth/logout.ts')).LogoutCommand },
  { path: ['push'], load: async () => (await import('./push.ts')).PushCommand },
  { path: ['exec'], load: async () => (await import('./exec.ts')).ExecCommand },
  { path: ['logs'], load: async () => (await import('./logs.ts')).LogsCommand },
  { path: ['top'], load: async () => (await import('./top.ts')).TopCommand },
  {
    path: ['rollout', 'history'],
    load: async () => (await import('./rollout/history.ts')).RolloutHistoryCommand,
  },
  {
    path: ['rollout', 'status'],
    load: async () => (await import('./rollout/status.ts')).RolloutStatusCommand,
  },
  { path: ['rollout', 'undo'], load: async () => (await import('./rollout/undo.ts')).RolloutUndoCommand },
  { path: ['events'], load: async () => (await import('./events.ts')).EventsCommand },
  { path: ['diff'], load: async () => (await import('./diff.ts')).DiffCommand },
  { path: ['rollback'], load: async () => (await import('./rollback.ts')).RollbackCommand },
  { path: ['restart'], load: async () => (await import('./restart.ts')).RestartCommand },
  { path: ['stop'], load: async () => (await import('./stop.ts')).StopCommand },
  { path: ['start'], load: async () => (await import('./start.ts')).StartCommand },
  { path: ['secrets', 'list'], load: async () => (await import('./secrets/list.ts')).ListSecretsCommand },
  { path: ['secrets', 'set'], load: async () => (await import('./secrets/set.ts')).SetSecretCommand },
  { path: ['secrets', 'unset'], load: async () => (await import('./secrets/unset.ts')).UnsetSecretCommand },
  { path: ['domains', 'list'], load: async () => (await import('./domains/list.ts')).ListDomainsCommand },
  { path: ['domains', 'add'], load: async () => (await import('./domains/add.ts')).AddDomainCommand },
  {
    path: ['domains', 'verify'],
    load: async () => (await import('./domains/verify.ts')).VerifyDomainCommand,
  },
  {
    path: ['domains', 'remove'],
    load: async () => (await import('./domains/remove.ts')).RemoveDomainCommand,
  },
  { path: ['volumes', 'list'], load: async () => (await import('./volumes/list.ts')).ListVolumesCommand },
  {
    path: ['volumes', 'destroy'],
    load: async () => (await import('./volumes/destroy.ts')).DestroyVolumeCommand,
  },
  { path: ['get'], load: async () => (await import('./get.ts')).GetCommand },
  { path: ['describe'], load: async () => (await import('./describe.ts')).DescribeCommand },
  {
    path: ['projects', 'create'],
    load: async () => (await import('./projects/create.ts')).CreateProjectCommand,
  },
  { path: ['projects', 'list'], load: async () => (await import('./projects/list.ts')).ListProjectsCommand },
  {
    path: ['projects', 'delete'],
    load: async () => (await import('./projects/delete.ts')).DeleteProjectCommand,
  },
  {
    path: ['projects', 'deploy-key', 'show'],
    load: async () => (await import('./projects/deploy-key/show.ts')).ShowDeployKeyCommand,
  },
  {
    path: ['projects', 'deploy-key', 'generate'],
    load: async () => (await import('./projects/deploy-key/generate.ts')).GenerateDeployKeyCommand,
  },
  {
    path: ['projects', 'deploy-key', 'set'],
    load: async () => (await import('./projects/deploy-key/set.ts')).SetDeployKeyCommand,
  },
  {
    path: ['projects', 'deploy-key', 'delete'],
    load: async () => (await import('./projects/deploy-key/delete.ts')).DeleteDeployKeyCommand,
  },
  {
    path: ['projects', 'known-hosts', 'list'],
    load: async () => (await import('./projects/known-hosts/list.ts')).ListKnownHostsCommand,
  },
  {
    path: ['projects', 'known-hosts', 'remove'],
    load: async () => (await import('./projects/known-hosts/remove.ts')).RemoveKnownHostCommand,
  },
  {
    path: ['registries', 'list'],
    load: async () => (await import('./registries/list.ts')).ListRegistriesCommand,
  },
  { path: ['registries', 'add'], load: async () => (await import('./registries/add.ts')).AddRegistryCommand },
  {
    path: ['registries', 'remove'],
    load: async () => (await import('./registries/remove.ts')).RemoveRegistryCommand,
  },
  {
    path: ['services', 'create'],
    load: async () => (await import('./services/create.ts')).CreateServiceCommand,
  },
  {
    path: ['services', 'update'],
    load: async () => (await import('./services/update.ts')).UpdateServiceCommand,
  },
  { path: ['jobs', 'list'], load: async () => (await import('./jobs/list.ts')).ListJobsCommand },
  { path: ['jobs', 'create'], load: async () => (await import('./jobs/create.ts')).CreateJobCommand },
  { path: ['jobs', 'update'], load: async () => (await import('./jobs/update.ts')).UpdateJobCommand },
  { path: ['jobs', 'delete'], load: async () => (await import('./jobs/delete.ts')).DeleteJobCommand },
  { path: ['jobs', 'run'], load: async () => (await import('./jobs/run.ts')).RunJobCommand },
  { path: ['jobs', 'runs'], load: async () => (await import('./jobs/runs.ts')).ListRunsOfJobCommand },
  { path: ['runs', 'list'], load: async () => (await import('./runs/list.ts')).ListRunsCommand },
  { path: ['runs', 'logs'], load: async () => (await import('./runs/logs.ts')).RunLogsCommand },
  { path: ['runs', 'stop'], load: async () => (await import('./runs/stop.ts')).StopRunCommand },
  { path: ['runs', 'describe'], load: async () => (await import('./runs/describe.ts')).DescribeRunCommand },
  { path: ['delete'], load: async () => (await import('./delete.ts')).DeleteCommand },
  { path: ['users', 'list'], load: async () => (await import('./users/list.ts')).ListUsersCommand },
  { path: ['users', 'create'], load: async () => (await import('./users/create.ts')).CreateUserCommand },
  { path: ['users', 'update'], load: async () => (await import('./users/update.ts')).UpdateUserCommand },
  { path: ['users', 'password'], load: async () => (await import('./users/password.ts')).PasswordCommand },
  { path: ['users', 'delete'], load: async () => (await import('./users/delete.ts')).DeleteUserCommand },
  { path: ['members', 'list'], load: async () => (await import('./members/list.ts')).ListMembersCommand },
  { path: ['members', 'set'], load: async () => (await import('./members/set.ts')).SetMemberCommand },
  {
    path: ['members', 'remove'],
    load: async () => (await import('./members/remove.ts')).RemoveMemberCommand,
  },
  { path: ['tokens', 'list'], load: async () => (await import('./tokens/list.ts')).ListTokensCommand },
  { path: ['tokens', 'create'], load: async () => (await import('./tokens/create.ts')).CreateTokenCommand },
  { path: ['tokens', 'revoke'], load: async () => (await import('./tokens/revoke.ts')).RevokeTokenCommand },
  { path: ['audit'], load: async () => (await import('./audit.ts')).AuditCommand },
  { path: ['version'], load: async () => (await import('./version.ts')).VersionCommand },
];
