/** `svc push` */
import { resolve } from 'node:path';
import { Option } from 'clipanion';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { ExitCode, usageError } from '../errors.ts';
import { readManifest, type Manifest } from '../manifest.ts';
import { paletteFor } from '../output/colour.ts';
import type { Target as Tree } from '../pack/target.ts';
import { createMissing } from '../push/create-missing.ts';
import { uploadTree } from '../push/upload-tree.ts';
import { seeThrough } from '../rollout/see-through.ts';
import { findService, type Target } from '../target.ts';
import { ClientCommand } from './command.ts';

export class PushCommand extends ClientCommand {
  static override paths = [['push']];
  static override usage = {
    category: 'Deploy',
    description: 'Deploy the working tree to a service',
    details: `
      Project and service, and where Dockerfile and context are, come from the file \`.svc\` (TOML) at the root of the
      tree; flags override it. The tree is packed as Git and Docker see it: tracked and untracked files without what
      \`.gitignore\` and \`.dockerignore\` leave out; the Dockerfile always goes along.

      Then it prints the log until the deployment is healthy or has failed (exit code 1). Ctrl-C leaves it to the node.

      \`--create\` makes the service first, from the block \`[create]\` of \`.svc\` (\`port\`, \`health_path\`). That needs a
      node with a control domain.
    `,
    examples: [
      ['Deploy the tree that .svc describes', 'svc push'],
      ['Deploy another directory to another service', 'svc push --path ./site --project shop --service site'],
      ['Start a deployment from a script and keep its id', 'id=$(svc push --no-follow)'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'project of the service' });
  service = Option.String('-s,--service', { description: 'service to deploy to' });
  dockerfile = Option.String('--dockerfile', {
    description: 'path of the Dockerfile in the tree (default: Dockerfile)',
  });
  buildContext = Option.String('--context', {
    description: 'directory in the tree that the build sees (default: .)',
  });
  root = Option.String('--path', { description: 'root of the tree (default: the working directory)' });
  noFollow = Option.Boolean('--no-follow', false, {
    description: 'do not wait: print the id of the deployment and leave',
  });
  create = Option.Boolean('--create', false, { description: 'make the service first if it is not there' });

  override async execute(): Promise<number> {
    const since = this.context.clock.now();
    const root = resolve(this.context.cwd, this.root ?? '.');
    const manifest = await readManifest(root);
    const target = this.target(manifest, root);
    const { resolveTarget } = await import('../pack/target.ts');
    const tree = await resolveTarget({
      root,
      context: this.buildContext ?? manifest.context,
      dockerfile: this.dockerfile ?? manifest.dockerfile,
    });
    const client = await this.connect();
    const service = this.create
      ? await createMissing(this.context, client, target, manifest.create)
      : await findService(client, target.service, target.project);

    const deployment = await this.deploy(client, service, tree);
    if (this.noFollow) {
      this.print(deployment.id);
      this.note(`Follow it with: svc logs --deployment ${deployment.id} -f`);
      return ExitCode.done;
    }
    return seeThrough(this.context, client, { deployment, service, since });
  }

  private target({ project, service }: Manifest, root: string): Target {
    const target = { project: this.project ?? project, service: this.service ?? service };
    const missing = (['project', 'service'] as const).find((key) => target[key] === undefined);
    if (target.project !== undefined && target.service !== undefined)
      return { project: target.project, service: target.service };
    throw usageError(
      `Which ${missing ?? 'service'} is ${root} pushed to?`,
      `Write ${missing ?? 'service'} = "…" into ${root}/.svc, or give --${missing ?? 'service'}.`,
    );
  }

  private async deploy(client: Client, service: ServiceResource, tree: Tree): Promise<DeploymentResource> {
    const upload = await uploadTree(this.context, client, service, tree);
    const deployment = await client.createDeployment({
      service_id: service.id,
      upload_id: upload.upload_id,
      dockerfile_path: tree.dockerfile,
      context_path: tree.context,
    });
    const { dim } = paletteFor(this.context.stderr, this.context.env);
    this.note(`Deployment ${deployment.number} of ${service.project}/${service.name} ${dim(deployment.id)}`);
    return deployment;
  }
}
