import type { Page } from '../evidence/evidence.ts'

/** A page as received. `text` is its HTML. */
export const pageOf = (location: string | null, html: string): Page => ({
  text: html,
  state: /data-state="(\w+)"/.exec(html)?.[1] ?? null,
  location,
})

export const isPage = (response: unknown): response is Page =>
  typeof response === 'object' && response !== null && 'location' in response

/** A response as it is recorded: pages without their markup. */
export const withoutMarkup = (response: unknown): unknown =>
  isPage(response) ? { ...response, text: words(response.text) } : response

const words = (html: string): string =>
  unescaped(html.replace(/^.*<main/s, '<main').replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')

/** Decodes numeric character references, the only ones that the service writes. */
export const unescaped = (html: string): string =>
  html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** The hidden fields of a form. */
export const hiddenFields = (html: string): { [name: string]: string } =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      unescaped(value),
    ]),
  )
