import { styleText } from 'node:util'
import { type HTMLElement, parse } from 'node-html-parser'

// Fits into a terminal of 80 columns.
const WIDTH = 78
const MARGIN = '   '

// Colours only in a terminal that has them, and without NO_COLOR.
type Style = Parameters<typeof styleText>[0]
const paint =
  (style: Style) =>
  (text: string): string =>
    styleText(style, text, { stream: process.stdout })
const bold = paint('bold')
export const faint = paint('dim')
export const green = paint('green')
export const red = paint('red')
const cyan = paint('cyan')

const print = (line: string): void => console.log(line)

export const heading = (title: string): void => print(`\n${bold(title)}`)

export const step = (number: number, title: string): void => heading(`${number}. ${title}`)

export const gap = (): void => print('')

export function explain(text: string): void {
  gap()
  for (const line of wrapped(text, WIDTH - MARGIN.length)) print(MARGIN + line)
}

export function seen(text: string): void {
  const [first = '', ...rest] = wrapped(text, WIDTH - MARGIN.length - 4)
  print(`${MARGIN}${green('ok')}  ${first}`)
  for (const line of rest) print(`${MARGIN}    ${line}`)
}

export function show(lines: readonly string[]): void {
  gap()
  for (const line of lines.flatMap(fitted)) print(line === '' ? '' : MARGIN + cyan(line))
}

export function pretty(json: string): string[] {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).split('\n')
  } catch {
    return json.split('\n')
  }
}

export const note = (line: string): void => print(MARGIN + line)

export const mru = (amount: number): string => `${(amount / 100).toFixed(2)} MRU`

/** Cuts at the edge, without adding or removing a character. */
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

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines.push(`${lines.pop()} ${word}`)
    else lines.push(word)
  }
  return lines
}

const PHONE_WIDTH = 46
/** Not shown: the link for screen readers, the languages, and hidden elements. */
const leftOut = '.skip, nav, script, noscript, [hidden], input[type=hidden]'

export function showPage(html: HTMLElement): void {
  gap()
  note(faint(`┌${'─'.repeat(PHONE_WIDTH + 2)}┐`))
  for (const line of wordsOf(html).flatMap((words) => wrapped(words, PHONE_WIDTH)))
    note(`${faint('│')} ${line.padEnd(PHONE_WIDTH)} ${faint('│')}`)
  note(faint(`└${'─'.repeat(PHONE_WIDTH + 2)}┘`))
}

/** The visible text, one line per block. Fields look like `[input___]`, buttons like `( Pay )`. */
export function wordsOf(html: HTMLElement): string[] {
  const copy = parse(html.querySelector('body')?.toString() ?? '')
  for (const element of copy.querySelectorAll(leftOut)) element.remove()
  for (const input of copy.querySelectorAll('input'))
    input.replaceWith(`<p>[${(input.getAttribute('value') ?? '').padEnd(12, '_')}]</p>`)
  for (const button of copy.querySelectorAll('button')) button.replaceWith(`<p>( ${button.innerHTML} )</p>`)
  for (const term of copy.querySelectorAll('dt'))
    term.replaceWith(`<p>${term.innerHTML}: ${term.nextElementSibling?.innerHTML ?? ''}</p>`)
  for (const definition of copy.querySelectorAll('dd')) definition.remove()
  return copy.structuredText.split('\n').filter((line) => line.trim() !== '')
}
