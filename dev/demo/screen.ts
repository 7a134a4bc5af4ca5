// Narrow enough for a terminal of 80 columns, also where a word of prose ends at the edge.
const WIDTH = 78
const MARGIN = '   '

// hasColors answers no for NO_COLOR and TERM=dumb; on a pipe or in a file it does not exist.
const colours = process.stdout.isTTY && process.stdout.hasColors()
const paint =
  (code: number) =>
  (text: string): string =>
    colours ? `\x1b[${code}m${text}\x1b[0m` : text
const bold = paint(1)
export const faint = paint(2)
export const green = paint(32)
export const red = paint(31)
const cyan = paint(36)

const print = (line: string): void => console.log(line)

/** The title of a numbered part of the show. */
export function step(number: number, title: string): void {
  print(`\n${bold(`${number}. ${title}`)}`)
}

/** A title without a number. */
export function heading(title: string): void {
  print(`\n${bold(title)}`)
}

/** An empty line. */
export function gap(): void {
  print('')
}

/** A paragraph, broken at its spaces. */
export function tell(text: string): void {
  gap()
  for (const line of wrapped(text, WIDTH - MARGIN.length)) print(MARGIN + line)
}

/** Something that was checked and is so. */
export function seen(text: string): void {
  const [first = '', ...rest] = wrapped(text, WIDTH - MARGIN.length - 4)
  print(`${MARGIN}${green('ok')}  ${first}`)
  for (const line of rest) print(`${MARGIN}    ${line}`)
}

/** What went over the wire: an empty line, then the lines, a value that is too long below its name. */
export function show(lines: readonly string[]): void {
  gap()
  for (const line of lines.flatMap(fitted)) print(line === '' ? '' : MARGIN + cyan(line))
}

/** JSON over several lines; what is no JSON as it is. */
export function pretty(json: string): string[] {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).split('\n')
  } catch {
    return json.split('\n')
  }
}

/** One line as it is. */
export function note(line: string): void {
  print(MARGIN + line)
}

/** An amount in centimes as people read it. */
export const mru = (amount: number): string => `${(amount / 100).toFixed(2)} MRU`

/** A long text cut at the edge, no character added or left out. */
export function cut(text: string): string[] {
  const characters = Array.from(text)
  const width = WIDTH - MARGIN.length
  return Array.from({ length: Math.ceil(characters.length / width) }, (_, row) =>
    characters.slice(row * width, (row + 1) * width).join(''),
  )
}

function fitted(line: string): string[] {
  const [, indent = '', name, value = ''] = /^( *)(\S+:) (.*)$/.exec(line) ?? []
  if (line.length <= WIDTH - MARGIN.length || name === undefined) return [line]
  return [indent + name, `${indent}  ${value}`]
}

/** A text broken at its spaces into lines of at most `width` characters; a longer word stands alone. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}
