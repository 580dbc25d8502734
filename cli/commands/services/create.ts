/** `svc services create` */
import { Option } from 'clipanion';
import type { CreateService } from '../../../specs/requests.ts';
import { resolveTarget } from '../../target.ts';
import { ClientCommand } from '../command.ts';
import { releaseHelp } from './release-flag.ts';
import { configurationOf } from './flags.ts';

export class CreateServiceCommand extends ClientCommand {
  static override paths = [['services', 'create']];
  static override usage = {
    category: 'Projects and services',
    description: 'Create a service in a project',
    details: `
      It runs nothing yet: \`svc push\` deploys to it.

      The workload listens on \`$PORT\`, which is the port given here. With \`--listen socket\` it listens on the Unix
      socket \`$SVC_SOCKET\` instead.

      \`--command\` is split into words as a shell does it, and there is no shell in between: write \`sh -c '…'\` for one.
      The entrypoint of the image stays.
    `,
    examples: [
      ['Create a service whose workload listens on port 8080', 'svc services create web -p shop --port 8080'],
      [
        'Create one with a health check, two replicas and an environment',
        'svc services create web -p shop --port 8080 --health-path /healthz --replicas 2 --env LOG_LEVEL=info --env REGION=eu',
      ],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project it belongs to' });
  port = Option.String('--port', { description: 'port that the workload listens on', required: true });
  healthPath = Option.String('--health-path', {
    description: 'HTTP path that answers 2xx once it can serve (default: /)',
  });
  listen = Option.String('--listen', { description: 'tcp (default) or socket' });
  replicas = Option.String('--replicas', { description: 'how many copies run (default: 1)' });
  env = Option.Array('--env', { description: 'KEY=VALUE of its environment; may be given again' });
  tls = Option.Boolean('--tls', { description: 'verified domains get certificates (default: off)' });
  command = Option.String('--command', {
    description: "what runs in the place of the image's command, such as 'node server.js'",
  });
  volume = Option.Array('--volume', {
    description:
      'NAME:/PATH: data that is kept over deployments, and where the workload finds it; may be given again',
  });
  hostPath = Option.Array('--host-path', {
    description: 'NAME:/PATH: a directory of the host, by the name that who runs the node has given it',
  });
  cpus = Option.String('--cpus', {
    description: 'how many CPUs a replica may use, such as 0.5 (default: 1)',
  });
  memory = Option.String('--memory', {
    description: 'how much memory a replica may use, such as 1Gi (default: 512Mi)',
  });
  release = Option.Array('--release', { description: releaseHelp });
  name = Option.String({ name: 'name' });

  override async execute(): Promise<void> {
    const body = await this.body();
    const client = await this.connect();
    const service = await client.createService(body);
    this.print(`service/${service.project}/${service.name} created`);
    if (service.urls.length > 0)
      this.note(`It will be served at ${service.urls.join(' and ')} after the first push.`);
  }

  private async body(): Promise<CreateService> {
    const { project, service: name } = await resolveTarget({
      argument: this.name,
      project: this.project,
      cwd: this.context.cwd,
    });
    const { port = 0, command, ...rest } = configurationOf(this);
    return { project, name, port, ...rest, ...(command?.length && { command }) };
  }
}
