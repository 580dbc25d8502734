/** `svc services update` */
import { Option } from 'clipanion';
import type { UpdateService } from '../../../specs/requests.ts';
import { usageError } from '../../errors.ts';
import { ReleaseCommand } from '../release-command.ts';
import { releaseHelp } from './release-flag.ts';
import { configurationOf } from './flags.ts';

export class UpdateServiceCommand extends ReleaseCommand {
  static override paths = [['services', 'update']];
  static override usage = {
    category: 'Projects and services',
    description: 'Change how a service is configured',
    details: `
      What no flag names stays. What changes how the workload runs (its port, health check or environment) is released: a
      new deployment of the same image, without a build, behind the health gate. Ends with 1 when that does not become
      healthy; what ran before goes on then. A number of replicas changes in place: it waits until they are ready.

      Secret values are set by \`svc secrets set\`, not by \`--env\`.
    `,
    examples: [
      ['Run three copies', 'svc services update shop/web --replicas 3'],
      [
        'Change one variable and take one away',
        'svc services update web -p shop --env LOG_LEVEL=debug --unset-env REGION',
      ],
    ] as [string, string][],
  };

  port = Option.String('--port', { description: 'port that the workload listens on' });
  healthPath = Option.String('--health-path', {
    description: 'HTTP path that answers 2xx once it can serve',
  });
  listen = Option.String('--listen', { description: 'tcp or socket' });
  replicas = Option.String('--replicas', { description: 'how many copies run' });
  env = Option.Array('--env', { description: 'KEY=VALUE of its environment; may be given again' });
  unsetEnv = Option.Array('--unset-env', {
    description: 'name to take out of its environment; may be given again',
  });
  tls = Option.Boolean('--tls', { description: 'whether verified domains get certificates' });
  command = Option.String('--command', {
    description:
      "what runs in the place of the image's command, such as 'node server.js'; '': that of the image",
  });
  volume = Option.Array('--volume', {
    description: "NAME:/PATH: all that it mounts from now on; may be given again; '': nothing",
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
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<number> {
    const body = this.body();
    const client = await this.connect();
    const service = await this.findService(client, this.service);
    await client.updateService(service.id, body);
    this.print(`service/${service.project}/${service.name} updated`);
    return this.follow(client, service);
  }

  private body(): UpdateService {
    const { env, ...rest } = configurationOf(this);
    const taken = this.unsetEnv ?? [];
    const both = taken.find((name) => env !== undefined && Object.hasOwn(env, name));
    if (both !== undefined) throw usageError(`--env and --unset-env both name ${both}.`);
    const variables = { ...env, ...Object.fromEntries(taken.map((name) => [name, null])) };
    const body = { ...rest, ...(Object.keys(variables).length > 0 && { env: variables }) };
    if (Object.keys(body).length === 0)
      throw usageError('What is to change?', 'See: svc services update --help');
    return body;
  }
}
