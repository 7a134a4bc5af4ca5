import { type HTMLElement, parse } from 'node-html-parser'
import { faint, gap, note, wrapped } from './screen.ts'

/** As wide as a phone's, in characters. */
const WIDTH = 46
/** What a newcomer need not see: the link for screen readers, the switch of languages, and what browsers hide. */
const left = '.skip, nav, script, noscript, [hidden], input[type=hidden]'

/** What a customer sees: the words of a page in a frame. */
export function showPage(html: HTMLElement): void {
  gap()
  note(faint(`┌${'─'.repeat(WIDTH + 2)}┐`))
  for (const line of wordsOf(html).flatMap((words) => wrapped(words, WIDTH)))
    note(`${faint('│')} ${line.padEnd(WIDTH)} ${faint('│')}`)
  note(faint(`└${'─'.repeat(WIDTH + 2)}┘`))
}

/** The visible text of a page, a line for each block of it: fields as `[typed___]`, buttons as `( Pay )`. */
export function wordsOf(html: HTMLElement): string[] {
  const copy = parse(html.querySelector('body')?.toString() ?? '')
  for (const element of copy.querySelectorAll(left)) element.remove()
  for (const input of copy.querySelectorAll('input'))
    input.replaceWith(`<p>[${(input.getAttribute('value') ?? '').padEnd(12, '_')}]</p>`)
  for (const button of copy.querySelectorAll('button')) button.replaceWith(`<p>( ${button.innerHTML} )</p>`)
  for (const term of copy.querySelectorAll('dt'))
    term.replaceWith(`<p>${term.innerHTML}: ${term.nextElementSibling?.innerHTML ?? ''}</p>`)
  for (const told of copy.querySelectorAll('dd')) told.remove()
  return copy.structuredText.split('\n').filter((line) => line.trim() !== '')
}
