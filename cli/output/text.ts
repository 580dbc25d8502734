/** Text that came from elsewhere, made safe for a terminal. Must not be used on what a program will read back. */

// CSI (`ESC [ … letter`), OSC (`ESC ] … BEL or ST`) and two-byte escapes, in their 7-bit and 8-bit forms: taken out
// whole, so that no "[31m" stays behind. What is left of C0, DEL and C1 goes one by one.
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Without escape sequences and control characters; tabs and line feeds stay. */
export function cleanText(text: string): string {
  return text.replaceAll(sequences, '').replaceAll(controls, '');
}

/** The same on one line: what separates lines becomes a space. */
export function cleanLine(text: string): string {
  return cleanText(text.replaceAll(/\s*[\r\n]+\s*/g, ' ')).replaceAll('\t', ' ');
}
