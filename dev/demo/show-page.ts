import { type HTMLElement, parse } from 'node-html-parser'
import { faint, gap, note, wrapped } from './screen.ts'

/** The width of a phone in characters. */
const WIDTH = 46
/** Elements that the show leaves out: the link for screen readers, the languages, and hidden elements. */
const leftOut = '.skip, nav, script, noscript, [hidden], input[type=hidden]'

/** Prints the text of a page in a frame. */
export function showPage(html: HTMLElement): void {
  gap()
  note(faint(`┌${'─'.repeat(WIDTH + 2)}┐`))
  for (const line of wordsOf(html).flatMap((words) => wrapped(words, WIDTH)))
    note(`${faint('│')} ${line.padEnd(WIDTH)} ${faint('│')}`)
  note(faint(`└${'─'.repeat(WIDTH + 2)}┘`))
}

/** Returns the visible text of a page, a line for each block. Fields look like `[input___]`, buttons like `( Pay )`. */
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
