/** Server-Sent Events, read as the HTML standard says (section 9.2.6), from bytes cut anywhere. */

export interface ServerSentEvent {
  /** The last id seen so far, this event's or an earlier one's. */
  id: string;
  /** `message` where the stream names none. */
  event: string;
  data: string;
}

/** Complete events only: what a broken connection cut off comes again after a reconnect. */
export async function* parseEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let id = '';
  let event = '';
  let data: string[] = [];
  for await (const line of lines(body)) {
    if (line === '') {
      if (data.length > 0) yield { id, event: event === '' ? 'message' : event, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [field, value] = fieldOf(line);
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
}

/** Lines that ended in CR LF, LF or CR; what comes after the last end of line is no line yet. */
async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder(); // Drops a byte order mark, as the standard asks.
  let rest = '';
  let afterReturn = false;
  for await (const bytes of body) {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') continue;
    // The CR that ended the text before has ended its line already; its LF may come only now.
    if (afterReturn && text.startsWith('\n')) text = text.slice(1);
    afterReturn = text.endsWith('\r');
    const parts = (rest + text).split(/\r\n|\n|\r/);
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
