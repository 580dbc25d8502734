/** Which service a command is about: from its argument, its flags and the manifest in the working directory. */
import type { ServiceResource } from '../specs/resources.ts';
import type { Client } from './client.ts';
import { CliError, ExitCode, usageError } from './errors.ts';
import { readManifest } from './manifest.ts';

export interface Target {
  project: string;
  service: string;
}

export interface TargetOptions {
  /** `NAME`, `PROJECT/NAME`, or absent. */
  argument: string | undefined;
  /** Of `-p`. */
  project: string | undefined;
  cwd: string;
}

/** Throws a usage error that says what is missing. */
export async function resolveTarget({ argument, project, cwd }: TargetOptions): Promise<Target> {
  if (argument?.includes('/') === true) return splitTarget(argument, project);
  if (argument !== undefined && project !== undefined) return { project, service: argument };
  const manifest = await readManifest(cwd);
  const service = argument ?? manifest.service;
  const owner = project ?? manifest.project;
  if (service === undefined) {
    throw usageError(
      'Which service?',
      'Name it as PROJECT/SERVICE, or work in a directory whose .svc file names project and service.',
    );
  }
  if (owner === undefined)
    throw usageError(
      `Which project is service "${service}" in?`,
      `Name it with -p PROJECT, or as PROJECT/${service}.`,
    );
  return { project: owner, service };
}

/** The project of a command: of its flag, else of the manifest in the working directory. Throws a usage error without one. */
export async function resolveProject(project: string | undefined, cwd: string): Promise<string> {
  const found = project ?? (await readManifest(cwd)).project;
  if (found !== undefined) return found;
  throw usageError(
    'Which project?',
    'Name it with -p PROJECT, or work in a directory whose .svc file names it.',
  );
}

/** The service of a command's argument, read from the node. */
export async function resolveService(client: Client, options: TargetOptions): Promise<ServiceResource> {
  const { project, service } = await resolveTarget(options);
  return findService(client, service, project);
}

/**
 * @param name `NAME`, `PROJECT/NAME` or an id
 * @param project name or id; needed with a bare name
 */
export async function findService(
  client: Client,
  name: string,
  project: string | undefined,
): Promise<ServiceResource> {
  if (name.startsWith('svc_')) return client.service(name);
  if (!name.includes('/') && project === undefined) {
    throw usageError(
      `Which project is service "${name}" in?`,
      `Name it with -p PROJECT, or as PROJECT/${name}.`,
    );
  }
  const target = name.includes('/') ? splitTarget(name, project) : { project: project ?? '', service: name };
  const [service] = await client.services({ project: target.project, name: target.service });
  if (service !== undefined) return service;
  throw noSuchService(target);
}

function noSuchService({ project, service }: Target): CliError {
  return new CliError(
    ExitCode.notFound,
    `There is no service "${service}" in project "${project}", or you may not see it.`,
    {
      next: `Create it with: svc services create ${service} -p ${project} --port <PORT>`,
    },
  );
}

function splitTarget(text: string, project: string | undefined): Target {
  const [owner = '', service = '', ...rest] = text.split('/');
  if (owner === '' || service === '' || rest.length > 0)
    throw usageError(`"${text}" is no service.`, 'Write NAME or PROJECT/NAME.');
  if (project !== undefined && project !== owner)
    throw usageError(`-p ${project} and ${text} name two projects.`);
  return { project: owner, service };
}
