/** SERVICE_DATABASE_URL. */

/**
 * The path in `sqlite:<path>`. Throws an Error that says what is allowed for any other URL.
 */
export function sqliteFile(databaseUrl: string): string {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(databaseUrl)?.[1];
  // The URL is not shown: one of another database may hold a password.
  if (path === undefined) throw new Error('SERVICE_DATABASE_URL must be sqlite:<path of a file>.');
  return path;
}
