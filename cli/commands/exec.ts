/** `svc exec` */
import { Option } from 'clipanion';
import type { OpenConsole } from '../../specs/console.ts';
import { attachPipes, attachTerminal, sizeOf, type Terminal } from '../console/attach.ts';
import { ExitCode } from '../errors.ts';
import { isTerminal } from '../output/colour.ts';
import { resolveService } from '../target.ts';
import { ClientCommand } from './command.ts';

export class ExecCommand extends ClientCommand {
  static override paths = [['exec']];
  static override usage = {
    category: 'Look',
    description: 'Run a command beside what a service runs, in its container',
    details: `
      Without a command it is \`sh\`. There is no shell in between: write \`sh -c '…'\` for one.

      On a terminal the command gets one as well: every key goes to it, Ctrl-C too. Where input or output is no terminal,
      or with \`--no-tty\`, they are pipes: byte for byte, with stdout and stderr apart.

      Ends with the exit code of the command. What it leaves running is ended when the console is cut off: by Ctrl-C on
      pipes, a lost connection, a role or a token taken away, or 30 minutes without a byte either way. Who opened a
      console, where and with which command, is in the audit; what was typed and printed is kept nowhere.
    `,
    examples: [
      ['Open a shell', 'svc exec web -p shop'],
      ['Run one command', 'svc exec shop/web -- ls -l /data'],
      ['Copy a file out', "svc exec shop/web -- sh -c 'tar cf - /data' > data.tar"],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  replica = Option.String('-r,--replica', {
    description: 'in this replica (id, or the end of it); default: a ready one of what serves',
  });
  noTty = Option.Boolean('--no-tty', false, { description: 'pipes, also on a terminal' });
  service = Option.String({ name: 'service' });
  command = Option.Rest({ name: 'command' });

  override async execute(): Promise<number> {
    const { stdin, stdout, stderr, cwd } = this.context;
    const isTty = this.terminal();
    const signal = isTty ? this.context.hungUp() : this.context.interrupted();
    const client = await this.connect();
    const service = await resolveService(client, { argument: this.service, project: this.project, cwd });
    const socket = await client.openConsole(service.id, this.wanted(), { stdout, stderr });
    try {
      if (isTty) return await attachTerminal(socket, stdin as Terminal, stdout, signal);
      return await attachPipes(socket, stdin, signal);
    } catch (error) {
      if (signal.aborted) return isTty ? ExitCode.hungUp : ExitCode.interrupted;
      throw error;
    } finally {
      socket.leave();
    }
  }

  private terminal(): boolean {
    const { stdin, stdout } = this.context;
    return !this.noTty && isTerminal(stdin) && isTerminal(stdout);
  }

  private wanted(): OpenConsole {
    const size = sizeOf(this.context.stdout);
    return {
      tty: this.terminal(),
      ...(this.command.length > 0 && { command: this.command }),
      ...(this.replica !== undefined && { replica: this.replica }),
      ...(this.terminal() && size && { size }),
    };
  }
}
