/** `svc services create` */
import { Option } from 'clipanion';
import type { CreateService } from '../../../specs/requests.ts';
import { resolveTarget } from '../../target.ts';
import { ClientCommand } from '../command.ts';
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
    const { port = 0, ...rest } = configurationOf(this);
    return { project, name, port, ...rest };
  }
}
