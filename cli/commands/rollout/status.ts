/** `svc rollout status` */
import { Option } from 'clipanion';
import { CliError, ExitCode } from '../../errors.ts';
import { cleanLine } from '../../output/text.ts';
import { failureOf } from '../../rollout/outcome.ts';
import { isSettled } from '../../rollout/verdict.ts';
import { ServiceCommand } from '../service-command.ts';

export class RolloutStatusCommand extends ServiceCommand {
  static override paths = [['rollout', 'status']];
  static override usage = {
    category: 'Services',
    description: 'Wait for the rollout that is under way, and say how it ended',
    details: `
      Ends with 0 when the deployment that was asked for last is serving, with 1 when it failed or was stopped, and with 8
      when that is not known within --timeout. With --no-wait it says where things stand.
    `,
    examples: [
      ['In a script, after a push without following it', 'svc rollout status shop/web --timeout 10m'],
    ] as [string, string][],
  };

  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await this.findService(client, this.service);
    const { target_deployment_id: target } = service;
    if (target === null)
      throw new CliError(ExitCode.failed, 'Nothing was deployed to it yet.', { next: 'Deploy it: svc push' });
    const deployment = await client.deployment(target);
    const failure = failureOf(deployment, service);
    if (failure) throw failure;
    if (!service.running) this.say(service, 'is stopped: svc start starts it');
    else if (this.noWait && !isSettled(deployment.status))
      this.say(service, `is being rolled out: ${cleanLine(deployment.message)}`);
    else
      this.sayServing(
        service,
        'rolled out',
        await this.settled(client, service, { want: 'serving', deployment: target }),
      );
  }
}
