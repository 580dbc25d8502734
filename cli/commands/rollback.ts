/** `svc rollback` */
import { Option } from 'clipanion';
import { deploymentNamed } from '../kinds/deployment.ts';
import { ServiceCommand } from './service-command.ts';

export class RollbackCommand extends ServiceCommand {
  static override paths = [['rollback']];
  static override usage = {
    category: 'Services',
    description: 'Serve an earlier deployment again',
    details: `
      By default the one that was promoted before. It comes back as it was, with its environment, and without a build;
      it passes the health gate before routing moves. Ends with 1 when it does not become healthy.
    `,
    examples: [
      ['Go back to the deployment before', 'svc rollback shop/web'],
      ['Go back to a certain one', 'svc rollback shop/web --to 3'],
    ] as [string, string][],
  };

  to = Option.String('--to', { description: 'id or number of the deployment' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const { id } = await this.findService(client, this.service);
    const wanted =
      this.to === undefined ? undefined : deploymentNamed(await client.deployments(id), this.to).id;
    const service = await client.rollbackService(id, wanted === undefined ? {} : { deployment_id: wanted });
    const deployment = service.target_deployment_id ?? '';
    this.sayServing(
      service,
      'rolled back',
      await this.settled(client, service, { want: 'serving', deployment }),
    );
  }
}
