import type { Page } from '../evidence/evidence.ts'

/** A page as it came: `text` is its HTML. */
export const pageOf = (location: string | null, html: string): Page => ({
  text: html,
  state: /data-state="(\w+)"/.exec(html)?.[1] ?? null,
  location,
})

export const isPage = (response: unknown): response is Page =>
  typeof response === 'object' && response !== null && 'location' in response

/** What the record keeps of an answer: of a page its words alone. */
export const withoutMarkup = (response: unknown): unknown =>
  isPage(response) ? { ...response, text: words(response.text) } : response

const words = (html: string): string =>
  unescaped(html.replace(/^.*<main/s, '<main').replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')

/** The service writes what must be escaped by its number. */
export const unescaped = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** What a form sends without anybody typing it. */
export const hiddenFields = (html: string): { [name: string]: string } =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, unescaped(value)],
    ),
  )
