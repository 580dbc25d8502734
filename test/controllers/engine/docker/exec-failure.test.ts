import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { execFailure, mayBeFailure } from '../../../../controllers/engine/docker/exec-failure.ts';

const oci = 'OCI runtime exec failed: exec failed: unable to start container process:';

describe('a command that cannot be started', () => {
  // As Docker 20.10 with runc 1.1, and as newer ones and crun say it.
  for (const [said, code] of [
    [`${oci} exec: "x": executable file not found in $PATH: unknown\r\n`, 127],
    [`${oci} exec: "/x": stat /x: no such file or directory: unknown\r\n`, 127],
    ['OCI runtime exec failed: exec failed: exec: "x": executable file not found in $PATH: unknown', 127],
    ['crun: executable file `x` not found in $PATH: No such file or directory: OCI runtime', 127],
    [`${oci} exec: "/x": permission denied: unknown\r\n`, 126],
    [`${oci} exec: "/x": is a directory: unknown\r\n`, 126],
    [`${oci} chdir to cwd ("/x") set in config.json failed: no such file or directory: unknown\r\n`, 126],
  ] as const) {
    it(`ends with ${code}: ${said.trim()}`, () => {
      assert.ok(mayBeFailure(Buffer.from(said)));
      const failure = execFailure(said, '/x');
      assert.equal(failure.code, code);
      assert.match(failure.message, /^The (container|command) .*"\/x".*\.$/);
      assert.doesNotMatch(failure.message, /OCI|unknown|[\r\n]/);
    });
  }

  it('is quoted with nothing that a terminal would obey, and not at any length', () => {
    const { message } = execFailure(
      `${oci} exec: executable file not found in $PATH`,
      `\u001b[2J${'x'.repeat(5_000)}`,
    );
    assert.ok(message.length < 300 && !message.includes('\u001b'));
  });
});
