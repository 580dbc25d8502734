/** `svc services create` */
import { Option } from 'clipanion';
import type { CreateService } from '../../../specs/requests.ts';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { resolveTarget } from '../../target.ts';
import { ClientCommand, integerFlag } from '../command.ts';

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
    const replicas = integerFlag('--replicas', this.replicas, 1, 100);
    return {
      project,
      name,
      port: integerFlag('--port', this.port, 1, 65_535) ?? 0,
      ...(this.healthPath === undefined ? {} : { health_path: this.healthPath }),
      ...(this.listen === undefined ? {} : { listen: listenOf(this.listen) }),
      ...(replicas === undefined ? {} : { replicas }),
      ...(this.env === undefined ? {} : { env: environmentOf(this.env) }),
    };
  }
}

function listenOf(word: string): 'tcp' | 'socket' {
  if (word === 'tcp' || word === 'socket') return word;
  throw usageError(`--listen takes tcp or socket, not "${word}".${didYouMean(word, ['tcp', 'socket'])}`);
}

function environmentOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      // Not quoted: a value may be a secret.
      if (end < 1) throw usageError('--env takes KEY=VALUE.');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}
