/**
 * Commands that could not be started. The engine says so in their output, where they would have printed, in the words of its
 * runtime, and with a code that differs by its version: here they get one sentence, and the code that shells give (POSIX,
 * Shell Command Language, 2.8.2).
 */
import { shorten } from '../errors.ts';

export interface ExecFailure {
  /** 127: there is no such command. 126: it cannot be run. */
  code: 126 | 127;
  /** A sentence for people. */
  message: string;
}

/** Of what is quoted of a command, in characters. */
const longest = 100;

const absent =
  /executable file .*not found|^(?:exec: )?"(?:[^"\\]|\\.)*": stat .*: no such file or directory/i;
const forbidden = /permission denied|is a directory|operation not permitted/i;

/** Whether output that begins so may be the engine's. Only an inspection tells: a command may print anything. */
export function mayBeFailure(output: Buffer): boolean {
  return /OCI runtime|exec failed|executable file/.test(output.toString('utf8', 0, 1_000));
}

/** @param said by the engine; @param program the first word of the command */
export function execFailure(said: string, program: string): ExecFailure {
  const name = JSON.stringify(program.length > longest ? `${program.slice(0, longest)}…` : program);
  const why = shorten(said.trim());
  if (absent.test(why))
    return { code: 127, message: `The container has no command ${name}: name one that is in its image.` };
  if (forbidden.test(why))
    return {
      code: 126,
      message: `The command ${name} cannot be run: it is no program that the container's user may execute.`,
    };
  return { code: 126, message: `The command ${name} could not be started in the container: ${why}.` };
}
