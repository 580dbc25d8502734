/** The one error that packing throws on purpose. The command prints its message and its hint; it never carries file contents. */

export class PackError extends Error {
  override readonly name = 'PackError';
  /** What to do next, one sentence. */
  readonly hint: string;

  /**
   * @param message what is wrong, with the path it is about
   * @param hint what to do next, one sentence
   */
  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** The `code` of a system error (`ENOENT`, …), or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
